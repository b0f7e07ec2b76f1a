/** Every operation that has a route. */
import { nouns } from '../../src/app.js';
import { service } from '../../src/home/index.js';
import { operationsOf, type AnyOperation } from '../../src/operation/define.js';

export const loadRouted = async (): Promise<readonly AnyOperation[]> => {
  const loaded = await Promise.all([...nouns, service].map((noun) => noun.load()));
  return loaded
    .flatMap(({ operations }) => operationsOf(operations))
    .filter(({ http }) => http !== undefined);
};
