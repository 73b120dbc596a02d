/**
 * Makes names as in C, C++ and Rust programs; two out of three are short.
 */
import type { Random } from './random.js';

export const SYSCALL_NAMES = [
  '__libc_read',
  '__libc_write',
  'fsync',
  'epoll_wait',
  '__futex_wait',
  'ppoll',
  '__pread64',
];
export const UTILITY_NAMES = ['malloc', 'cfree', 'memcpy', '__memmove_avx_unaligned_erms', '__strlen_avx2', 'memset'];

const AREAS = [
  'buf',
  'cache',
  'codec',
  'conn',
  'disk',
  'graph',
  'index',
  'json',
  'lock',
  'mesh',
  'net',
  'page',
  'pool',
];
const THINGS = [
  'block',
  'cursor',
  'entry',
  'frame',
  'header',
  'key',
  'node',
  'packet',
  'queue',
  'row',
  'slot',
  'token',
];
const VERBS = [
  'add',
  'check',
  'clear',
  'close',
  'copy',
  'find',
  'flush',
  'get',
  'init',
  'merge',
  'next',
  'push',
  'seek',
];
const CLASSES = [
  'Scheduler',
  'QueryPlan',
  'Session',
  'RowReader',
  'LruCache',
  'WriteBatch',
  'Parser',
  'Texture',
  'Arena',
];
const SPACES = ['app', 'std', 'storage::engine', 'net::http2::detail', '(anonymous namespace)', 'query::optimizer'];
const CRATES = ['core', 'alloc', 'tokio::runtime::scheduler', 'serde_json::de', 'hyper::proto', 'hashbrown::raw'];
const TYPES = [
  'int',
  'unsigned long',
  'char const*',
  'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >',
  'std::pair<unsigned int const, storage::engine::Slice>',
  'std::unique_ptr<Session, std::default_delete<Session> >',
];
const OPERATORS = ['operator()', 'operator==', 'operator<', 'operator<<', 'operator->', 'operator[]', 'operator bool'];

type Pattern = (random: Random) => string;

const snakeCase: Pattern = (random) => `${random.pick(AREAS)}_${random.pick(THINGS)}_${random.pick(VERBS)}`;
const method: Pattern = (random) => `${random.pick(CLASSES)}::${random.pick(VERBS)}_${random.pick(THINGS)}`;
const spaced: Pattern = (random) => `${random.pick(SPACES)}::${method(random)}`;
const template: Pattern = (random) =>
  `${random.pick(SPACES)}::${random.pick(CLASSES)}<${random.pick(TYPES)}, ${random.pick(TYPES)} >::${random.pick(VERBS)}`;
const operator: Pattern = (random) => `${random.pick(SPACES)}::${random.pick(CLASSES)}::${random.pick(OPERATORS)}`;
const lambda: Pattern = (random) =>
  `${snakeCase(random)}(${random.pick(CLASSES)}*, int)::{lambda(${random.pick(TYPES)})#${1 + random.below(4)}}::operator()`;
const rust: Pattern = (random) =>
  `<${random.pick(CRATES)}::${random.pick(CLASSES)}<T> as core::iter::traits::iterator::Iterator>::${random.pick(VERBS)}`;
const hashed: Pattern = (random) =>
  `${random.pick(CRATES)}::${random.pick(THINGS)}::${random.pick(VERBS)}::h${hex(random)}${hex(random)}`;

const PATTERNS: readonly Pattern[] = [
  ...[
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    snakeCase,
    method,
    method,
    method,
    method,
    spaced,
    spaced,
  ],
  ...[template, template, operator, lambda, rust, hashed],
];

function hex(random: Random): string {
  return random.bits().toString(16).padStart(8, '0');
}

/** Makes unique names. */
export class Namer {
  private readonly used = new Set<string>();
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  next(): string {
    const name = this.random.pick(PATTERNS)(this.random);
    let unused = name;
    for (let copy = 2; this.used.has(unused); copy++) unused = `${name}_v${copy}`;
    this.used.add(unused);
    return unused;
  }
}
