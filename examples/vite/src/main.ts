/** Shows what a worker finds in the files that are chosen. */
import type { Found } from './messages';

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const input = document.querySelector('input') as HTMLInputElement;
const status = document.querySelector('[role=status]') as HTMLElement;

input.addEventListener('change', () => {
  status.textContent = 'reading…';
  worker.postMessage([...(input.files ?? [])]);
});

worker.addEventListener('message', ({ data: found }: MessageEvent<Found>) => {
  if ('problem' in found) {
    status.textContent = found.problem;
    return;
  }
  status.textContent = `${found.functions.length} functions take most of the time`;
  const items = found.functions.map(({ name, selfNs }) => {
    const item = document.createElement('li');
    item.textContent = `${name}: ${(selfNs / 1e6).toFixed(3)} ms`; // as text: names are not trusted
    return item;
  });
  document.querySelector('ol')?.replaceChildren(...items);
  const picture = new Blob([found.picture], { type: 'image/svg+xml' });
  (document.querySelector('img') as HTMLImageElement).src = URL.createObjectURL(picture);
});
