/** What a home knows of the chain: in memory, and on its file between two commands. */
import type { Network } from '../../bch/network.js';
import type { BlockName } from './checkpoint.js';
import { createHeaderChain, type HeaderChain } from './header-chain.js';
import type { HeaderRules } from './header-rules.js';
import type { HeadersFile, HomeHeaders } from './home-headers.js';
import { createProofs } from './proofs.js';

export type HeaderStateOptions = HeaderRules & {
  readonly network: Network;
  /** Named by the operator. */
  readonly named: BlockName | null;
  readonly file: HeadersFile;
};

const SAVE_MS = 30_000;

/** What a home knows, in memory and on its file. */
export const createHeaderState = ({ file, ...rules }: HeaderStateOptions) => {
  const proofs = createProofs();
  let known: (Pick<HomeHeaders, 'checkpoint' | 'refused'> & { readonly chain: HeaderChain }) | null = null;
  let isChanged = false;
  let timer: NodeJS.Timeout | null = null;

  const take = ({ checkpoint, kept, refused }: Pick<HomeHeaders, 'checkpoint' | 'kept' | 'refused'>) => {
    known = { checkpoint, refused, chain: createHeaderChain(kept, { ...rules, checkpoint }) };
    return known;
  };
  const save = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (!isChanged || known === null) return;
    isChanged = false;
    const { checkpoint, refused, chain } = known;
    file.write({ network: rules.network, checkpoint, refused, kept: chain.keep(), proofs: proofs.keep() });
  };
  const change = (): void => {
    isChanged = true;
    timer ??= setTimeout(save, SAVE_MS).unref();
  };
  return {
    proofs,
    known: () => known,
    take,
    save,
    change,
    /** What the home knows of itself; null when it begins anew. */
    load: () => {
      if (known !== null) return known;
      const home = file.read();
      const { named } = rules;
      const isNamed =
        named === null || (named.height === home?.checkpoint.height && named.hash === home.checkpoint.hash);
      if (home === null || !isNamed) return null;
      for (const proof of home.proofs) proofs.add(proof);
      return take(home);
    },
    refuse: (refused: string): void => {
      if (known !== null) known = { ...known, refused };
      change();
      save();
    },
  };
};
export type HeaderState = ReturnType<typeof createHeaderState>;
