/** What pages of vaults say of a spend. */
import { pagePath } from '../../page-paths.js';
import { showAmount } from '../amounts.js';
import { html, type Drawn } from '../html.js';
import { drawApprovals } from '../pictures/approvals.js';
import { Measured } from '../pictures/measured.js';
import type { Reply } from '../replies.js';
import { say } from '../say.js';
import type { Step } from '../signing/step.js';
import { Quoted } from '../ui/blocks.js';
import { Address } from '../ui/rich-text.js';

/** One of the amounts that a spend pays. */
type Payment = {
  readonly to: string;
  readonly tokenCategory: string | null;
  readonly symbol: string;
  readonly decimals: number;
  readonly amountOnChain: string;
};

/** A spend, as answers have it. */
export type Spend = {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly memo: string;
  readonly proposer: string;
  readonly outputs: readonly Payment[];
  readonly digest: string;
  readonly fee: number;
  readonly signatures: readonly { readonly signer: string; readonly signedAt: number }[];
  readonly signaturesNeeded: number;
};

export type SpendReply = Reply & Spend;

/** A vault, as answers have it. */
export type Vault = {
  readonly id: string;
  readonly label: string | null;
  readonly name: string;
  readonly status: string;
  readonly signers: readonly string[];
  readonly contractAddress: string;
  readonly balanceOnChain: string;
  readonly spendableOnChain: string;
  readonly tokens: readonly {
    readonly category: string;
    readonly symbol: string;
    readonly decimals: number;
    readonly amountOnChain: string;
  }[];
};

export type VaultReply = Reply & Vault & { readonly openSpends: readonly Spend[] };

/** How a record is called in an address: its label without `#`. */
export const nameOf = ({ id, label }: { readonly id: string; readonly label: string | null }): string =>
  (label ?? id).replace(/^#/, '');

/** What an amount that a spend pays reads like. */
const paid = ({ tokenCategory: category, symbol, decimals, amountOnChain }: Payment): string =>
  showAmount(amountOnChain, { category, decimals }, symbol);

/** What a spend pays in all, each asset by itself: `0.95 BCH and 12 TEAM`. */
export const totalOf = (outputs: readonly Payment[]): string => {
  const sums = new Map<string, Payment>();
  for (const one of outputs) {
    const key = one.tokenCategory ?? '';
    const units = BigInt(one.amountOnChain) + BigInt(sums.get(key)?.amountOnChain ?? 0);
    sums.set(key, { ...one, amountOnChain: String(units) });
  }
  return [...sums.values()].map(paid).join(say('spend.and'));
};

/** What a spend pays, to whom, and what for. */
export const SpendWords = ({ spend, vault }: { readonly spend: Spend; readonly vault: Vault }): Drawn => {
  const { outputs, memo } = spend;
  return html`<div class="stack">
    <p>${say('spend.pays', { amount: totalOf(outputs), vault: vault.name, count: outputs.length })}</p>
    <ul class="payees">
      ${outputs.map(
        (one) =>
          html`<li><strong>${paid(one)}</strong> ${say('spend.to')} <${Address} text=${one.to} /></li>`,
      )}
    </ul>
    ${memo !== '' && html`<${Quoted} text=${memo} />`}
  </div>`;
};

/** Who has signed it. */
export const Approvals = ({
  spend,
  vault,
  me,
}: {
  readonly spend: Spend;
  readonly vault: Vault;
  readonly me: string | null;
}): Drawn =>
  html`<${Measured}
    draw=${(width: number) => drawApprovals({ signers: vault.signers, spend, me }, width)}
  />`;

/** True where this reader's signature is waited for. */
export const mustSign = ({ signers }: Vault, { status, signatures }: Spend, me: string | null): boolean =>
  me !== null &&
  status === 'PENDING' &&
  signers.includes(me) &&
  signatures.every(({ signer }) => signer !== me);

/** Signing a spend with the wallet on the phone. */
export const signStep = (spend: Spend, vault: Vault, signer: string): Step => {
  const parameters = { id: nameOf(vault), spendId: nameOf(spend) };
  const place = `/api/vaults/${encodeURIComponent(vault.id)}/spends/${encodeURIComponent(spend.id)}`;
  return {
    title: say(spend.signatures.length === 0 ? 'spend.sign-first' : 'spend.sign-second', {
      label: spend.label,
    }),
    build: { path: `${place}/sign`, body: {} },
    deliver: { path: `${place}/signatures`, field: 'signedTransaction' },
    confirm: null,
    command: `vaults spend sign ${parameters.spendId}`,
    page: pagePath('spend', parameters),
    signer,
  };
};
