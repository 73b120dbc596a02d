/**
 * Tests how labels are shortened to fit.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitLabel, shorterNames, textWidth } from '../../../src/render/frames/labels.js';
import { workOf } from '../../helpers/checks/work.js';

describe('shortens names step by step', () => {
  const cases: readonly (readonly [name: string, ...steps: string[]])[] = [
    ['main'],
    ['[liblzma.so.5.4.1+0x1a2b0]', '[…+0x1a2b0]', '…1a2b0', '…a2b0', '…2b0', '…b0'],
    ['[unknown 0x55d0a1]', '[… 0x55d0a1]', '…55d0a1', '…5d0a1', '…d0a1', '…0a1', '…a1'],
    ['_start'],
    ['a::b::c', '…b::c', '…c'],
    [
      'std::vector<int, std::allocator<int> >::push_back',
      'std::vector<int, std::allocator<…> >::push_back',
      'std::vector<…>::push_back',
      '…vector<…>::push_back',
      '…push_back',
    ],
    [
      'ns::Map<std::pair<int, char>>::find<int>',
      'ns::Map<std::pair<…>>::find<int>',
      'ns::Map<…>::find<…>',
      '…Map<…>::find<…>',
      '…find<…>',
    ],
    ['a::b (inlined)', '…b (inlined)'],
    ['sum(std::vector<int>) (inlined)', 'sum(std::vector<…>) (inlined)', 'sum(…) (inlined)'],
    ['operator<'],
    ['operator<<'],
    ['Date::operator<', '…operator<'],
    ['Date::operator<=>', '…operator<=>'],
    ['Ptr<Node>::operator->', 'Ptr<…>::operator->', '…operator->'],
    ['std::operator<< <char>', 'std::operator<< <…>', '…operator<< <…>'],
    [
      'std::operator<< <std::char_traits<char> >',
      'std::operator<< <std::char_traits<…> >',
      'std::operator<< <…>',
      '…operator<< <…>',
    ],
    ['Shift::operator>>=', '…operator>>='],
    ['Box::operator()', '…operator()'],
    ['Box::operator()<int>', 'Box::operator()<…>', '…operator()<…>'],
    ['Box::operator[]', '…operator[]'],
    ['Item::operator bool', '…operator bool'],
    ['Item::operator std::string', '…operator std::string'],
    ['operators::run', '…run'],
    ['my_operator<int>', 'my_operator<…>'],
    ['ns::sum(std::vector<int>, int)', 'ns::sum(std::vector<…>, int)', 'ns::sum(…)', '…sum(…)'],
    ['(anonymous namespace)::work', '…work'],
    ['run::{lambda(int)#1}::operator()', 'run::{lambda(…)#1}::operator()', '…{lambda(…)#1}::operator()', '…operator()'],
    [
      'core::ops::FnOnce::call_once{{vtable.shim}}',
      '…ops::FnOnce::call_once{{vtable.shim}}',
      '…FnOnce::call_once{{vtable.shim}}',
      '…call_once{{vtable.shim}}',
    ],
    ['db::run::{{closure}}', '…run::{{closure}}', '…{{closure}}'],
    ['<T as Trait>::call', '…call'],
    ['<alloc::vec::Vec<T> as core::ops::Drop>::drop', '<Vec<T> as Drop>::drop', '…drop'],
    [
      '<alloc::vec::Vec<core::T, A> as core::ops::Drop>::drop',
      '<alloc::vec::Vec<…> as core::ops::Drop>::drop',
      '<Vec<…> as Drop>::drop',
      '…drop',
    ],
    ['tokio::park::h6536045c2153e08b', 'tokio::park', '…park'],
    ['main.main', '…main'],
    ['pkg.(*T).Method', '…(*T).Method', '…Method'],
    [
      'github.com/a/b.(*T).Method',
      '…com/a/b.(*T).Method',
      '…a/b.(*T).Method',
      '…b.(*T).Method',
      '…(*T).Method',
      '…Method',
    ],
    ['main.serve.func1', '…serve.func1'],
    ['pkg.Map[go.shape.int]', '…Map[go.shape.int]'],
    ['msort_with_tmp.part.0'],
    ['page_init[clone .isra.0]'],
    ['hash.constprop.0.cold'],
    ['cfree@GLIBC_2.2.5'],
    ['clock_gettime@@GLIBC_2.17'],
    ['_GLOBAL__sub_I_main.cc'],
    ['fil_io@plt'],
    ['[syscall]'],
    ['[unknown]'],
    ['a<b'],
    ['a>b::c'],
    ['x::(y::z'],
    [''],
  ];
  test.each(cases.map(([name, ...steps]) => ({ name, steps })))('$name', ({ name, steps }) => {
    expect([...shorterNames(name)]).toEqual(steps);
  });
});

describe('fitLabel', () => {
  const label = { name: 'mem::heap<int>::block_free', numbers: ['1,204', '3.1 µs'] };
  test.for([
    [60, 'mem::heap<int>::block_free · 1,204 · 3.1 µs'],
    [43, 'mem::heap<int>::block_free · 1,204 · 3.1 µs'],
    [42, 'mem::heap<int>::block_free · 1,204'],
    [33, 'mem::heap<int>::block_free'],
    [25, 'mem::heap<…>::block_free'],
    [23, '…heap<…>::block_free'],
    [19, '…block_free'],
    [10, 'block_free'],
    [9, 'block_fr…'],
    [3, 'bl…'],
    [2, ''],
    [-5, ''],
  ] as const)('in %i columns: %s', ([columns, text]) => {
    expect(fitLabel(label, columns)).toBe(text);
  });

  test('counts wide characters twice', () => {
    expect(textWidth('表を読む')).toBe(8);
    expect(fitLabel({ name: '表を読む', numbers: [] }, 7)).toBe('表を読…');
    expect(textWidth('día')).toBe(3);
    expect(textWidth('😀')).toBe(2);
  });

  test('never exceeds the width, and is never longer for a smaller width', () => {
    const names = fc.string({
      unit: fc.constantFrom(...'ab:<>(){}[]., *&/~#', '::', 'operator', '<', '>', 'ß', '表'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        names,
        fc.array(fc.constantFrom('1', '3 µs')),
        fc.integer({ min: 0, max: 60 }),
        (name, numbers, columns) => {
          const text = fitLabel({ name, numbers }, columns);
          expect(textWidth(text)).toBeLessThanOrEqual(columns);
          expect(textWidth(fitLabel({ name, numbers }, columns + 1))).toBeGreaterThanOrEqual(
            Math.min(textWidth(text), 1),
          );
        },
      ),
    );
  });

  test('takes linear time in the number of brackets', async () => {
    const work = (brackets: number) =>
      workOf(/\/src\/render\//, async () => {
        const name = `${'a<'.repeat(brackets)}b${'>'.repeat(brackets)}`;
        expect(fitLabel({ name, numbers: [] }, 12)).not.toBe('');
      });
    expect((await work(8000)) / (await work(2000))).toBeLessThan(5);
  });
});
