import { setTimeout as sleep } from 'node:timers/promises'
import { SimulatorApiError } from '../../packages/simulator/control/client.ts'
import { type ApiRequest, getUntilAnswered, type RequestRecord } from './merchant-requests.ts'
import type { Operation } from './operations.ts'
import type { Merchant, Participants, StormConnection } from './participants.ts'
import type { StackClients } from './stack-clients.ts'

// biome-ignore lint/suspicious/noExplicitAny: a resource as it is shown.
type AnyResource = any

/** The result of an operation, as far as other operations need it. */
export type OperationOutcome = {
  uuid: string | null
  request?: ApiRequest
  record?: RequestRecord
  dispute?: OpenedDispute
  deposit?: { endToEnd: string }
}
/** A bank's dispute: the simulator's id of it, and its PIX. */
export type OpenedDispute = { id: string; endToEnd: string; about: number }
export const NO_OUTCOME: OperationOutcome = { uuid: null }

/** The operations of one kind. */
export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { kind: Kind }>

export const API_PATHS = {
  charge: '/api/v1/payments',
  transfer: '/api/v1/transfers',
  batch: '/api/v1/transfers/batches',
  dispute: '/api/v1/meds',
  deposit: '/api/v1/deposits',
  ledger: '/api/v1/ledger',
  lookup: '/api/v1/pix-keys/lookup',
} as const
/** Within this a healthy stack has settled every payment. */
const SETTLE_LIMIT_MS = 4_000
const POLL_INTERVAL_MS = 600

export type StormContext = ReturnType<typeof createStormContext>
export type StormContextInput = {
  site: StackClients
  participants: Participants
  operations: Operation[]
  runId: string
}

/** The shared results of a storm's operations, and all their requests. */
export function createStormContext({ site, participants: cast, operations, runId: run }: StormContextInput) {
  const outcomes = operations.map(() => Promise.withResolvers<OperationOutcome>())
  const asked: RequestRecord[] = []
  const disputes: OpenedDispute[] = []
  /** How many operations of a kind found nothing to act on. */
  const idle: Record<string, number> = {}

  const connections = new Map(
    cast.merchants.flatMap(one => one.connections).map(connection => [connection.uuid, connection]),
  )

  const placeOfMerchant = (place: number): number => {
    const operation = operations[place]!
    return 'merchant' in operation ? operation.merchant : 0
  }

  return {
    site,
    cast,
    operations,
    run,
    asked,
    disputes,
    idle,
    outcomes,
    outcomeOf: (place: number) => outcomes[place]!.promise,
    placeOfMerchant,
    merchantOf: (place: number): Merchant => cast.merchants[placeOfMerchant(place)]!,
    /** The connection of a charge or transfer as it is shown. */
    connectionOf: ({ provider }: { provider: { uuid: string } }): StormConnection =>
      connections.get(provider.uuid)!,
    /** Starts the record of a request. */
    recordRequest(mine: Omit<RequestRecord, 'mode' | 'sent' | 'answers' | 'absent'>): RequestRecord {
      const { mode } = cast.merchants[mine.merchant]!
      const one = { ...mine, mode, sent: 0, answers: [], absent: [] }
      asked.push(one)
      return one
    },
    skipOperation(kind: Operation['kind']): OperationOutcome {
      idle[kind] = (idle[kind] ?? 0) + 1
      return NO_OUTCOME
    },
    /** The resource once it fits; null where it does not soon. */
    async waitForResource(
      { token }: Merchant,
      path: string,
      fits: (shown: AnyResource) => boolean,
    ): Promise<AnyResource | null> {
      const deadline = Date.now() + SETTLE_LIMIT_MS
      for (;;) {
        const shown = (await getUntilAnswered(site.nextApiUrl, { path, token }))?.body?.data
        if (shown && fits(shown)) return shown
        if (Date.now() > deadline) return null
        await sleep(POLL_INTERVAL_MS)
      }
    },
  }
}

/** The simulator may refuse: a code that is no longer payable, balance that is gone. Null then. */
export async function nullIfRefused<Answer>(something: Promise<Answer>): Promise<Answer | null> {
  try {
    return await something
  } catch (error) {
    if (error instanceof SimulatorApiError) return null
    throw error
  }
}

/** What the responses agree on; the invariants check those that do not. */
export function uuidOf({ answers }: RequestRecord): string | null {
  return answers.find(answer => answer.uuid !== null)?.uuid ?? null
}
