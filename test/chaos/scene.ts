import { setTimeout as sleep } from 'node:timers/promises'
import { type Asked, type Request, read } from './asking.ts'
import type { Cast, Merchant } from './cast.ts'
import type { Operation } from './operations.ts'
import type { Site } from './site.ts'

/** What has become of an operation, as far as others need it. */
export type Outcome = { uuid: string | null; request?: Request; asked?: Asked; dispute?: Dispute }
/** What a bank opened: the far side's id of it, and the PIX that it is about. */
export type Dispute = { id: string; endToEnd: string; about: number }
export const NOTHING: Outcome = { uuid: null }

/** The operations of one kind. */
export type Of<Kind extends Operation['kind']> = Extract<Operation, { kind: Kind }>

export const PATHS = {
  charge: '/api/v1/payments',
  transfer: '/api/v1/transfers',
  dispute: '/api/v1/meds',
} as const
/** Within this a healthy stack has settled what was paid or sent. */
const SOON_MS = 4_000
const POLL_MS = 600

export type Scene = ReturnType<typeof sceneOf>
export type Stagehands = { site: Site; cast: Cast; operations: Operation[]; run: string }

/** Where the operations of a storm meet: what each came to, and all that was asked. */
export function sceneOf({ site, cast, operations, run }: Stagehands) {
  const outcomes = operations.map(() => Promise.withResolvers<Outcome>())
  const asked: Asked[] = []
  const disputes: Dispute[] = []
  /** How many operations of a kind found nothing to act on. */
  const idle: Record<string, number> = {}

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
    /** Begins to write down what is asked. */
    note(mine: Omit<Asked, 'sent' | 'answers' | 'absent'>): Asked {
      const one = { ...mine, sent: 0, answers: [], absent: [] }
      asked.push(one)
      return one
    },
    nothing(kind: Operation['kind']): Outcome {
      idle[kind] = (idle[kind] ?? 0) + 1
      return NOTHING
    },
    /** The resource once it fits; null where it does not soon. */
    // biome-ignore lint/suspicious/noExplicitAny: the resource as it is shown.
    async when({ token }: Merchant, path: string, fits: (shown: any) => boolean): Promise<any | null> {
      const deadline = Date.now() + SOON_MS
      for (;;) {
        const shown = (await read(site.api, { path, token }))?.body?.data
        if (shown && fits(shown)) return shown
        if (Date.now() > deadline) return null
        await sleep(POLL_MS)
      }
    },
  }
}

/** What the answers agree on; the invariants look at those that do not. */
export function uuidOf({ answers }: Asked): string | null {
  return answers.find(answer => answer.uuid !== null)?.uuid ?? null
}
