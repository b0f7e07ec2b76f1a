/**
 * A contract in which only one function is left whole: compiling it takes a tenth of the time, and the moves and attacks
 * that call that function end as before. The other functions keep their place and their arguments, and check nothing.
 */
import { parseContract, spansOf } from './source-tree.js';

/** The source with every other function's body put off. */
export const isolateFunction = (source: string, functionName: string): string => {
  const spanOf = spansOf(source);
  const { functions, parameters } = parseContract(source);
  return functions.toReversed().reduce((text, node) => {
    if (node.name === functionName) return text;
    const { begin, end } = spanOf(node);
    const names = [...parameters, ...node.parameters].map(({ name }) => name);
    const head = text.slice(0, text.indexOf('{', begin));
    return `${head}{ console.log(${names.join(', ')}); require(true); }${text.slice(end)}`;
  }, source);
};
