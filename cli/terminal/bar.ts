/** Draws a share (0 to 1) as a bar of at most `width` characters; a share above 0 is never invisible. */
export function bar(share: number, width: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * width * 8)) : 0;
  return '█'.repeat(Math.floor(eighths / 8)) + PARTS[eighths % 8];
}

const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
