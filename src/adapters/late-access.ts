/** The access port, whose adapter is loaded when somebody is first let in. */
import type { AccessPort } from '../operation/ports/access.js';
import type { AccessTokenSettings } from './access-tokens.js';
import { latePort } from './late-port.js';
import type { OutsideSettings } from './outside.js';

/** What of the settings of a home decides who is let in. */
type AccessSettings = Pick<AccessTokenSettings, 'network'> & {
  readonly domain?: string;
  readonly outside?: OutsideSettings;
};

export const openAccess = (
  { network, domain = 'treasury', outside }: AccessSettings,
  parts: Pick<AccessTokenSettings, 'folder' | 'wall' | 'random'>,
): AccessPort =>
  latePort(
    { issue: true, verify: true, challenge: true, checkChallenge: true, revokeAll: true },
    async () => {
      const { openAccessTokens } = await import('./access-tokens.js');
      return openAccessTokens({ ...parts, network, domain, secretFile: outside?.tokenSecretFile ?? null });
    },
  );
