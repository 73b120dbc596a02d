/** A share as a bar of so many characters; what is not nothing is seen. */
export function bar(share: number, width: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * width * 8)) : 0;
  return '█'.repeat(Math.floor(eighths / 8)) + PARTS[eighths % 8];
}

const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
