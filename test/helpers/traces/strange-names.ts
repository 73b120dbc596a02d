/**
 * A trace with unusual names: templates, emoji, right-to-left text, control characters.
 */
const NAMES = [
  'std::unordered_map<std::string, std::vector<std::pair<int, my::Row<char>>>, my::Hash>::operator[](std::string const&)',
  'emoji_🚀👩‍💻_handler',
  'שלום_עולם',
  'red_\x1b[31m_alarm',
  '=SUM(A1:A9)',
  'a,"quoted",name',
  '漢字の関数名',
  'plain',
];

/** Each function is called from main three times, one after another, the n-th for at least 100·n ns. */
export function strangeTrace(): string {
  const lines: string[] = [];
  let ns = 1_000_000;
  const print = (what: string, from: string, to: string) =>
    lines.push(`7 [000] 1.${String(ns).padStart(9, '0')}: ${what.padEnd(8)} ${from} => ${to}\n`);
  for (let round = 0; round < 3; round++) {
    NAMES.forEach((name, index) => {
      const address = 0x500000 + 0x1000 * index;
      const location = (offset: number) => `${(address + offset).toString(16)} ${name}+0x${offset.toString(16)}`;
      ns += 10;
      print('call', '400010 main+0x10', location(0));
      ns += 100 * (index + 1) + 1000 * round;
      print('return', location(8), '400015 main+0x15');
    });
  }
  return lines.join('');
}
