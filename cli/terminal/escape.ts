/**
 * Text that other people chose, made safe for a terminal: an escape character is shown as "\x1b".
 */
export { visibleText as escapeForTerminal } from '../../src/index.js';
