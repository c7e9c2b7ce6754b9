import { setTimeout as sleep } from 'node:timers/promises'
import { reaisFromCents } from '../../src/domain/money.ts'
import { SimulatorRefusal } from '../../src/simulator/client.ts'
import { type Asked, ask, type Request, read } from './asking.ts'
import type { Cast, Merchant } from './cast.ts'
import type { Asking, Operation } from './operations.ts'
import type { Site } from './site.ts'

/** What has become of an operation, as far as others need it. */
type Outcome = { uuid: string | null; request?: Request; asked?: Asked }
type Of<Kind extends Operation['kind']> = Extract<Operation, { kind: Kind }>

const PATHS = { charge: '/api/v1/payments', transfer: '/api/v1/transfers' } as const
/** Within this a healthy stack has settled what was paid or sent. */
const SOON_MS = 4_000
const POLL_MS = 100
/** A payload can be paid for so long after its time that its charge has surely expired. */
const LATE_MS = 4_000

export type Stagehands = { site: Site; cast: Cast; operations: Operation[]; run: string }

/** Carries the operations of a storm out, each once, in any order that keeps to what names what. */
export function performer({ site, cast, operations, run }: Stagehands) {
  const outcomes = operations.map(() => Promise.withResolvers<Outcome>())
  const asked: Asked[] = []
  /** Payments that wait for a charge to expire. */
  const later: Promise<void>[] = []
  /** How many operations of a kind found nothing to act on. */
  const idle: Record<string, number> = {}
  const { api_url: api } = site.local

  return { perform, asked, idle, finished: () => Promise.all(later) }

  async function perform(place: number): Promise<void> {
    try {
      outcomes[place]!.resolve(await act(operations[place]!, place))
    } finally {
      outcomes[place]!.resolve({ uuid: null })
    }
  }

  function act(operation: Operation, place: number): Promise<Outcome> {
    switch (operation.kind) {
      case 'charge':
        return charge(operation, place)
      case 'transfer':
        return transfer(operation, place)
      case 'pay':
        return pay(operation)
      case 'refund':
        return refund(operation, place)
      case 'cancel_charge':
        return cancel(operation, { place, of: operation.charge, times: operation.times, path: PATHS.charge })
      case 'cancel_transfer':
        return cancel(operation, { place, of: operation.transfer, times: 1, path: PATHS.transfer })
      case 'deposit':
        return deposit(operation)
      case 'give_back':
        return giveBack(operation)
      case 'repeat':
        return repeat(operation)
    }
  }

  async function charge(operation: Of<'charge'>, place: number): Promise<Outcome> {
    const body = {
      value: reaisFromCents(operation.cents),
      type: 'PIX',
      external_ref: `${run}-${place}`,
      expires_in: operation.expiresInS,
      splits: operation.splits
        .filter(({ type }) => operation.cents > 0 || type === 'PERCENTAGE')
        .map(({ type, amount, recipient }) => ({
          type,
          value: reaisFromCents(amount),
          recipient_account_uuid: cast.recipients[recipient],
        })),
    }
    const merchant = cast.merchants[operation.merchant]!
    const token = operation.bound ? merchant.boundToken : merchant.token
    return create('charge', { place, merchant: operation.merchant, asking: operation.asking, token, body })
  }

  async function transfer(operation: Of<'transfer'>, place: number): Promise<Outcome> {
    const { to, scheduledInS, asking, merchant } = operation
    const body = {
      value: reaisFromCents(operation.cents),
      pix_key: to.kind === 'key' ? to.key : cast.merchants[to.merchant]!.connections[0]!.collectionKey,
      external_ref: `${run}-${place}`,
      ...(scheduledInS !== null && {
        scheduled_for: new Date(Date.now() + scheduledInS * 1_000).toISOString(),
      }),
    }
    return create('transfer', { place, merchant, asking, token: cast.merchants[merchant]!.token, body })
  }

  type Creation = {
    place: number
    merchant: number
    asking: Asking
    token: string
    body: { external_ref: string }
  }

  async function create(kind: 'charge' | 'transfer', creation: Creation): Promise<Outcome> {
    const { place, merchant, asking, token, body } = creation
    const key = asking.keyed ? `${run}-${place}` : null
    const request = { path: PATHS[kind], token, key, body }
    const mine = note({ place, kind, merchant, key, externalRef: body.external_ref })
    await Promise.all(Array.from({ length: asking.times }, () => ask(api, mine, request)))
    return { uuid: uuidOf(mine), request, asked: mine }
  }

  async function refund({ charge: of, shares, asking }: Of<'refund'>, place: number): Promise<Outcome> {
    const { uuid } = await outcomes[of]!.promise
    const merchant = merchantOf(of)
    const shown = uuid && (await when(merchant, `${PATHS.charge}/${uuid}`, isRefundable))
    if (!shown) return nothing('refund')
    const refunds = await Promise.all(
      shares.map(async (share, index) => {
        const key = asking.keyed ? `${run}-${place}-${index}` : null
        const cents = Math.max(1, Math.floor((Math.round(shown.total_value * 100) * (share ?? 0)) / 100))
        const body = share === null ? {} : { value: reaisFromCents(cents) }
        const request = { path: `${PATHS.charge}/${uuid}/refund`, token: merchant.token, key, body }
        const mine = note({ place, kind: 'refund', merchant: placeOfMerchant(of), key, externalRef: null })
        await Promise.all(Array.from({ length: asking.times }, () => ask(api, mine, request)))
        return { uuid: uuidOf(mine), request, asked: mine }
      }),
    )
    return refunds[0]!
  }

  type Cancelling = { place: number; of: number; times: number; path: string }

  async function cancel(
    { kind }: Of<'cancel_charge' | 'cancel_transfer'>,
    { place, of, times, path }: Cancelling,
  ): Promise<Outcome> {
    const { uuid } = await outcomes[of]!.promise
    if (!uuid) return nothing(kind)
    const { token } = merchantOf(of)
    const mine = note({ place, kind, merchant: placeOfMerchant(of), key: null, externalRef: null })
    const request = { path: `${path}/${uuid}/cancel`, token, key: null }
    await Promise.all(Array.from({ length: times }, () => ask(api, mine, request)))
    return { uuid }
  }

  async function pay({ charge: of, how, cents }: Of<'pay'>): Promise<Outcome> {
    const { uuid } = await outcomes[of]!.promise
    const shown = uuid && (await when(merchantOf(of), `${PATHS.charge}/${uuid}`, one => one.payment.payload))
    if (!shown) return nothing('pay')
    const asks = Math.round(shown.total_value * 100)
    const { payload, expires_at } = shown.payment
    const isOpen = shown.value === 0
    const value = how === 'wrong' && cents === asks ? cents + 1 : cents
    const order = {
      payload,
      ...((how === 'wrong' || isOpen) && { value: reaisFromCents(value) }),
      force: how === 'again' || how === 'late',
    }
    if (how === 'late') {
      const paid = sleep(Math.max(0, Date.parse(expires_at) - Date.now()) + LATE_MS).then(() =>
        far(() => site.simulator.pay(order)),
      )
      later.push(paid.then(() => {}))
    } else if (!(await far(() => site.simulator.pay(order)))) return nothing('pay')
    return { uuid: null }
  }

  async function deposit({ merchant, cents }: Of<'deposit'>): Promise<Outcome> {
    const { account } = cast.merchants[merchant]!.connections[0]!
    await far(() => site.simulator.deposit({ account, value: reaisFromCents(cents) }))
    return { uuid: null }
  }

  async function giveBack({ transfer: of, share }: Of<'give_back'>): Promise<Outcome> {
    const { uuid } = await outcomes[of]!.promise
    const shown =
      uuid && (await when(merchantOf(of), `${PATHS.transfer}/${uuid}`, one => one.status === 'PAID'))
    if (!shown) return nothing('give_back')
    const cents = Math.max(1, Math.floor((Math.round(shown.value * 100) * share) / 100))
    const { end_to_end } = shown.transfer
    if (!(await far(() => site.simulator.returns({ end_to_end, value: reaisFromCents(cents) }))))
      return nothing('give_back')
    return { uuid: null }
  }

  async function repeat({ of, body }: Of<'repeat'>): Promise<Outcome> {
    const { request, asked: mine } = await outcomes[of]!.promise
    if (!request || !mine) return nothing('repeat')
    if (body === 'same') await ask(api, mine, request)
    else if (uuidOf(mine) === null)
      return nothing('repeat') // Its key may be free still.
    else {
      const { value = 0, ...rest } = request.body as { value?: number }
      const other = { ...rest, value: reaisFromCents(Math.round(value * 100) + 1) }
      await ask(api, mine, { ...request, body: other }, 'other')
    }
    return { uuid: null }
  }

  function note(mine: Omit<Asked, 'sent' | 'answers'>): Asked {
    const one = { ...mine, sent: 0, answers: [] }
    asked.push(one)
    return one
  }

  function nothing(kind: Operation['kind']): Outcome {
    idle[kind] = (idle[kind] ?? 0) + 1
    return { uuid: null }
  }

  function placeOfMerchant(place: number): number {
    const operation = operations[place]!
    return 'merchant' in operation ? operation.merchant : 0
  }

  function merchantOf(place: number): Merchant {
    return cast.merchants[placeOfMerchant(place)]!
  }

  // biome-ignore lint/suspicious/noExplicitAny: the resource as it is shown.
  async function when(merchant: Merchant, path: string, fits: (shown: any) => boolean): Promise<any | null> {
    const deadline = Date.now() + SOON_MS
    for (;;) {
      const shown = (await read(api, { path, token: merchant.token }))?.body?.data
      if (shown && fits(shown)) return shown
      if (Date.now() > deadline) return null
      await sleep(POLL_MS)
    }
  }
}

function isRefundable({ status }: { status: string }): boolean {
  return status === 'PAID' || status === 'PARTIALLY_REFUNDED'
}

/** What the far side of the rail does; it may refuse: a code that is no longer payable, money that is gone. */
async function far(something: () => Promise<unknown>): Promise<boolean> {
  try {
    await something()
    return true
  } catch (error) {
    if (error instanceof SimulatorRefusal) return false
    throw error
  }
}

/** What the answers agree on; the invariants look at those that do not. */
function uuidOf({ answers }: Asked): string | null {
  return answers.find(answer => answer.uuid !== null)?.uuid ?? null
}
