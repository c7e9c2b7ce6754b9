import { randomUUID } from 'node:crypto'
import { Connection } from '../../src/db/entities/connection.ts'
import type { Provider } from '../../src/providers/port.ts'
import { createProviderRegistry } from '../../src/providers/registry.ts'
import type { Merchant } from '../api/support/test-stack.ts'
import { openBareServer } from './bare-handler.ts'
import { measureInTurns, measureOneByOne, warmUp } from './callers.ts'
import { measureCost } from './costs.ts'
import { type Figures, formatPerSecond } from './figures.ts'
import type { Bench } from './main.ts'

const CALLERS = 16
/** So many that neither the limit of a token nor that of an account, nor a bank's budget, refuses a look-up. */
const MERCHANTS = 10
const TOKENS_PER_MERCHANT = 50
/** Of each kind, one after the other. */
const ASKED_CALLS = 300
const KNOWN_PER_SECOND_GOAL = 300
const ADDED_P99_GOAL_MS = 60

/** What a look-up must at least do: write the account's row. */
const ROW_OF_LOOK_UP = `insert into key_lookup (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type,
    shown_key, outcome, receiver, request_id, created_at, updated_at, expires_at)
  select gen_random_uuid(), account_uuid, connection_uuid, provider_account_uuid, is_simulated, type,
    shown_key, outcome, receiver, request_id, created_at, updated_at, expires_at
  from (select * from key_lookup limit 1) one returning uuid, receiver, expires_at`

/**
 * POST /pix-keys/lookup: of a key whose owner is known, beside a server that only writes its row, and of one that the bank is asked for,
 * beside that bank alone; with what each costs.
 */
export async function lookUps({ site, trilho, seconds, say }: Bench): Promise<Partial<Figures>> {
  const { stage } = site
  const merchants: Merchant[] = []
  for (let n = 0; n < MERCHANTS; n += 1)
    merchants.push(
      await stage.createMerchant({ providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 1 }] }),
    )
  const tokens: string[] = []
  for (let n = 0; n < TOKENS_PER_MERCHANT; n += 1)
    for (const { uuid: accountUuid } of merchants) tokens.push(await stage.token({ accountUuid }))
  let next = 0
  const perform = async (pixKey: string): Promise<string | undefined> => {
    const token = tokens[next++ % tokens.length]!
    const { status, body } = await trilho.api.post('/api/v1/pix-keys/lookup', token, { pix_key: pixKey })
    return status === 200 ? body.data.uuid : undefined
  }
  const lookUp = async (pixKey: string) => (await perform(pixKey)) !== undefined
  const knownKey = createKey()
  await lookUp(knownKey)
  await using bare = await openBareServer(site, {
    databaseUrl: site.local.database_url,
    statementLists: [[ROW_OF_LOOK_UP]],
  })
  const floor = { what: 'floor: bare, the row of a look-up', call: () => bare.api.isOk('/0/kept', '') }
  const known = {
    what: 'look-up, the owner is known',
    call: () => lookUp(knownKey),
    programs: ['API', 'PostgreSQL'],
  } as const
  await warmUp([known], { callers: CALLERS, seconds: seconds / 2 })
  const [written, fast] = await measureInTurns([floor, known], { callers: CALLERS, seconds })
  say(formatPerSecond([written!, fast!]))

  await using registry = openRegistry(site)
  const banks = await Promise.all(merchants.map(one => registry.open(one)))
  const bank = {
    what: 'the bank alone',
    call: async () => (await banks[next++ % banks.length]!.lookUpKey!(createKey())).kind === 'found',
  }
  const asked = { what: 'look-up, the bank is asked', call: () => lookUp(createKey()) }
  const [alone, through] = await measureOneByOne([bank, asked], { calls: ASKED_CALLS, restMs: 0 })
  const cost = (what: string, chooseKey: () => string) =>
    measureCost(site, what, {
      perform: async () => (await perform(chooseKey())) ?? failRefused(),
      settleMs: 0,
    })
  const costKey = createKey() // Known from its first look-up on, for a minute.
  const costs = [
    await cost('look-up, the owner is known', () => costKey),
    await cost('look-up, the bank is asked', createKey),
  ]
  return {
    costs,
    speeds: [written!, fast!, alone!, through!],
    goals: [
      {
        what: `look-ups of a known owner, ${CALLERS} callers`,
        is: fast!.perSecond,
        atLeast: KNOWN_PER_SECOND_GOAL,
        unit: '/s',
      },
      {
        what: 'p99 of a look-up that the bank is asked for, above the bank alone',
        is: through!.p99Ms - alone!.p99Ms,
        atMost: ADDED_P99_GOAL_MS,
        unit: 'ms',
      },
    ],
  }
}

function failRefused(): never {
  throw new Error('a look-up was refused')
}

const createKey = () => `${randomUUID()}@example.com`

/** Opens the providers of merchants as the API does, in this process. */
function openRegistry({ stage }: Bench['site']) {
  const registry = createProviderRegistry({
    openCredentials: stage.seal.open,
    timeoutMs: 10_000,
    ca: stage.ca,
  })
  return {
    async open({ connection }: Merchant): Promise<Provider> {
      const em = stage.orm.em.fork()
      const populate = ['sealedCredentials', 'isDistrusted'] as const
      return registry.providerFor(await em.findOneOrFail(Connection, connection.uuid, { populate }))
    },
    [Symbol.asyncDispose]: () => registry.close(),
  }
}
