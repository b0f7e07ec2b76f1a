/** The registry and the audit over a real socket. */
import { publicNetworkName } from '../../src/bch/network.js';
import { openRegistered } from '../products/deployments/registered.js';
import { fundCampaign } from '../products/rewards/campaign.js';
import { serve, type Json } from './client.js';
import { onEveryChain } from './on-every-chain.js';

const listTitle =
  'GET /api/deployment/registry and /verify/:address › anyone can list and audit what is deployed';

onEveryChain(listTitle, [], async (t, world) => {
  const treasury = await openRegistered(t, world);
  const campaign = await fundCampaign(treasury);
  await campaign.pay(treasury.people.bob, '0.01');
  const { call } = await serve(t, treasury);

  const { status, body } = await call('GET', '/api/deployment/registry?verify=true');
  t.is(status, 200);
  t.like(body, {
    success: true,
    network: publicNetworkName(world.network),
    summary: { total: 1, byType: { RewardCampaign: 1 }, verified: 1, mismatched: 0, unfunded: 0 },
  });
  const [entry] = body['entries'] as readonly Json[];
  t.like(entry, { artifactMatch: 'match', onChain: { balanceSatoshis: '2001000', utxoCount: 1 } });

  const address = String(entry?.['contractAddress']);
  const verified = await call('GET', `/api/deployment/verify/${address}`);
  t.like(verified.body, {
    success: true,
    address,
    contractType: 'RewardCampaign',
    balanceSatoshis: '2001000',
  });
  const audit = verified.body['audit'] as readonly { ok: boolean; detail: string }[];
  t.true(audit.length >= 15 && audit.every(({ ok, detail }) => ok && detail !== ''));
});

const otherTitle =
  'GET /api/deployment/registry › given another network › it is empty; given none that exists › 400';

onEveryChain(otherTitle, [], async (t, world) => {
  const treasury = await openRegistered(t, world);
  const { call } = await serve(t, treasury);
  t.like((await call('GET', '/api/deployment/registry?network=testnet4')).body, {
    success: true,
    network: 'testnet4',
    entries: [],
  });
  t.is((await call('GET', '/api/deployment/registry?network=moon')).status, 400);
});

const walletTitle =
  'GET /api/deployment/verify/:address › given a wallet, or no address › what is there, or 400';

onEveryChain(walletTitle, [], async (t, world) => {
  const treasury = await openRegistered(t, world);
  const { call } = await serve(t, treasury);
  const address = treasury.addressOf(treasury.people.mallory).text;
  const { body } = await call('GET', `/api/deployment/verify/${address}`);
  t.like(body, { success: true, confirmationStatus: 'none', utxos: { count: 0, items: [] } });
  t.is(body['audit'], undefined);
  const refused = await call('GET', '/api/deployment/verify/bitcoincash:nonsense');
  t.is(refused.status, 400);
  t.is(refused.body['code'], 'invalid_address');
});
