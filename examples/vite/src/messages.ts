/** What the worker found in the files that it received. */
export type Found =
  | { readonly functions: readonly { readonly name: string; readonly selfNs: number }[]; readonly picture: string }
  | { readonly problem: string };
