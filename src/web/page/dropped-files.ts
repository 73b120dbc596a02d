/**
 * Finds the files that are dropped on the window or chosen in a dialog. Folders are searched: binaries often come in one.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';

/** A folder dropped by mistake may be a whole disk. */
const MAX_FILES = 20_000;

export interface DropEvents {
  readonly dropped: (files: readonly File[]) => void;
  /** Files are above the window, or no longer. */
  readonly hovers: (isAbove: boolean) => void;
}

/** Makes the whole window a place to drop files. */
export function listenForDrops({ dropped, hovers }: DropEvents): void {
  let depth = 0; // entering an element comes before leaving the one around it
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
  addEventListener('dragenter', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (depth++ === 0) hovers(true);
  });
  addEventListener('dragleave', (event) => {
    if (hasFiles(event) && --depth === 0) hovers(false);
  });
  addEventListener('dragover', (event) => {
    if (hasFiles(event)) event.preventDefault(); // else the browser would leave the page to open the file
  });
  addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    hovers(false);
    void filesOf(event.dataTransfer as DataTransfer).then((files) => {
      if (files.length > 0) dropped(files);
    });
  });
}

async function filesOf({ items, files }: DataTransfer): Promise<File[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry());
  if (!entries.some((entry) => entry?.isDirectory)) return [...files];
  const found: File[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, found: File[]): Promise<void> {
  if (found.length >= MAX_FILES) return;
  if (entry.isFile) found.push(await new Promise<File>((done, failed) => asFile(entry).file(done, failed)));
  if (!entry.isDirectory) return;
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    for (const one of some) await collect(one, found);
  }
}

const asFile = (entry: FileSystemEntry) => entry as FileSystemFileEntry;

/** Opens the dialog of the browser. */
export function chooseFiles(chosen: (files: readonly File[]) => void): void {
  const input = html('input', { type: 'file', multiple: '', hidden: '' });
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    input.remove();
    if (files.length > 0) chosen(files);
  });
  input.addEventListener('cancel', () => input.remove());
  document.body.append(input); // so that it is not collected while the dialog is open
  input.click();
}
