/** The deployments as a file, for whoever wants to verify them without this home. */
import { z } from 'zod';
import { defineOperation } from '../../../operation/define.js';
import type { Registered } from '../deployments.js';
import { DeploymentsFile, writeFile } from '../file.js';

/** Declares the operation over the covenant products. */
export const defineExport = (registered: Registered) =>
  defineOperation({
    id: 'deployments.export',
    summary: 'Write every deployment with its parameters, which the chain alone cannot give',
    cli: { verb: 'export', example: 'deployments export > deployments.json' },
    auth: 'none',
    input: z.object({}),
    output: DeploymentsFile,
    errors: [],
    run: (_, { store, network }) => writeFile(registered, store, network),
    view: (file) => [{ kind: 'file', text: JSON.stringify(file, null, 2) }],
  });
