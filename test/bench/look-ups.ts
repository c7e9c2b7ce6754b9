import { randomUUID } from 'node:crypto'
import { Connection } from '../../src/db/entities/connection.ts'
import type { Provider } from '../../src/providers/port.ts'
import { createProviderRegistry } from '../../src/providers/registry.ts'
import type { Merchant } from '../api/support/test-stack.ts'
import { measureInTurns, measureOneByOne, warmUp } from './callers.ts'
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

/** POST /pix-keys/lookup: of a key whose owner is known, and of one that the bank is asked for, beside that bank alone. */
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
  const lookUp = async (pixKey: string) => {
    const token = tokens[next++ % tokens.length]!
    const { status } = await trilho.api.post('/api/v1/pix-keys/lookup', token, { pix_key: pixKey })
    return status === 200
  }
  const knownKey = createKey()
  const known = {
    what: 'look-up, the owner is known',
    call: () => lookUp(knownKey),
    programs: ['API', 'PostgreSQL'],
  } as const
  await warmUp([known], { callers: CALLERS, seconds: seconds / 2 })
  const [fast] = await measureInTurns([known], { callers: CALLERS, seconds })
  say(formatPerSecond([fast!]))

  await using registry = openRegistry(site)
  const banks = await Promise.all(merchants.map(one => registry.open(one)))
  const bank = {
    what: 'the bank alone',
    call: async () => (await banks[next++ % banks.length]!.lookUpKey!(createKey())).kind === 'found',
  }
  const asked = { what: 'look-up, the bank is asked', call: () => lookUp(createKey()) }
  const [alone, through] = await measureOneByOne([bank, asked], { calls: ASKED_CALLS, restMs: 0 })
  return {
    speeds: [fast!, alone!, through!],
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
