/** The import rules of the house. `npm run imports` fails when one is broken. */
const pure = '^src/products/[^/]+/(rules|state|transactions|observe|contract)\\.ts$';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core-imports-nothing',
      comment: 'bch and errors import nothing else from src.',
      severity: 'error',
      from: { path: '^src/(bch/|errors\\.ts)' },
      to: { path: '^src/', pathNot: '^src/(bch/|errors\\.ts)' },
    },
    {
      name: 'covenant-stands-on-the-core',
      severity: 'error',
      from: { path: '^src/covenant/' },
      to: { path: '^src/', pathNot: '^src/(covenant/|bch/|errors\\.ts)' },
    },
    {
      name: 'rooms-know-no-product',
      comment: 'Settings, operations, records and offers are there for every product and name none.',
      severity: 'error',
      from: { path: '^src/(settings|operation|record|offer)/' },
      to: { path: '^src/(products|home|adapters|http|cli|daemon|demo)/' },
    },
    {
      name: 'rooms-stand-on-each-other',
      comment:
        'An offer hands out a move of a record; a record knows no offer, an operation neither: execute alone says which coins are kept for fundings.',
      severity: 'error',
      from: { path: '^src/(operation|record)/', pathNot: '^src/operation/execute\\.ts$' },
      to: { path: '^src/offer/' },
    },
    {
      name: 'operations-know-no-record',
      severity: 'error',
      from: { path: '^src/operation/' },
      to: { path: '^src/record/' },
    },
    {
      name: 'pure-product-files',
      comment: 'Rules, state, transactions, observe and contract take time and coins as arguments.',
      severity: 'error',
      from: { path: pure },
      to: { path: '^src/(operation|record|offer|adapters|http|cli|daemon|home)/' },
    },
    {
      name: 'pure-product-files-no-node',
      severity: 'error',
      from: { path: pure },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'products-meet-at-their-index',
      comment:
        'A product imports another only through its index: vaults, and for RECURRING streams the covenant of payments.',
      severity: 'error',
      from: { path: '^src/products/([^/]+)/' },
      to: {
        path: '^src/products/([^/]+)/',
        pathNot: ['^src/products/$1/', '^src/products/(vaults|payments)/index\\.ts$'],
      },
    },
    {
      name: 'products-in-one-list',
      comment:
        'Who serves every product receives the list of src/products/index.ts, and imports none of them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/products/' },
      to: { path: '^src/products/[^/]+/' },
    },
    {
      name: 'faces-know-no-product',
      severity: 'error',
      from: { path: '^src/(http|cli)/' },
      to: { path: '^src/(products|home)/' },
    },
    {
      name: 'keeper-knows-no-product',
      comment: 'A keeper uses operations as a command does: through the nouns that its session has.',
      severity: 'error',
      from: { path: '^src/keeper/' },
      to: { path: '^src/(products|home|adapters|http|daemon|demo)/' },
    },
    {
      name: 'adapters-behind-the-root',
      comment: 'Only the composition root imports adapters.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(app\\.ts|adapters/)' },
      to: { path: '^src/adapters/' },
    },
    {
      name: 'page-is-light',
      comment:
        'The page runs in browsers: of the rest it takes types, its addresses, and the protocols of wallets on phones.',
      severity: 'error',
      from: { path: '^src/page/' },
      to: {
        path: '^src/',
        pathNot: '^src/(page/|page-paths\\.ts|wallet-protocols/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'page-stands-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/page/' },
      to: { path: '^src/page/' },
    },
    {
      name: 'adapters-know-no-product',
      severity: 'error',
      from: { path: '^src/adapters/' },
      to: { path: '^src/(products|home|http|cli|daemon)/' },
    },
    {
      name: 'wallet-protocols-run-anywhere',
      comment: 'At the terminal and in the page: what they need of either is given to them.',
      severity: 'error',
      from: { path: '^src/wallet-protocols/' },
      to: { path: '^src/', pathNot: '^src/(wallet-protocols/|bch/network\\.ts$)' },
    },
    {
      name: 'wallet-protocols-no-node',
      severity: 'error',
      from: { path: '^src/wallet-protocols/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'wallet-protocols-are-light',
      comment: 'What a page can carry.',
      severity: 'error',
      from: { path: '^src/wallet-protocols/' },
      to: { path: 'node_modules/', pathNot: 'node_modules/@noble/' },
    },
    {
      name: 'wallet-protocols-behind-their-ports',
      comment: 'The keystore and the page speak them; nobody else does. The settings know the usual relays.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(wallet-protocols/|adapters/|page/|app\\.ts$|settings/phone-places\\.ts$)',
      },
      to: { path: '^src/wallet-protocols/' },
    },
    {
      name: 'name-the-noun',
      severity: 'error',
      from: {},
      to: { path: '/(utils|util|helpers|helper|common|services|service|types|misc)\\.ts$' },
    },
    {
      name: 'one-libauth',
      severity: 'error',
      from: {},
      to: { path: 'node_modules/.+/node_modules/@bitauth/libauth' },
    },
    {
      name: 'no-orphan-packages',
      severity: 'error',
      comment: 'What src imports is bundled: for npm it is all of development.',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
