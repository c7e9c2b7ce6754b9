import { setTimeout as sleep } from 'node:timers/promises'
import { reaisFromCents } from '../../src/domain/money.ts'
import { SimulatorRefusal } from '../../src/simulator/client.ts'
import { NOTHING, type Of, type Outcome, PATHS, type Scene } from './scene.ts'

/** A payload can be paid for so long after its time that its charge has surely expired. */
const LATE_MS = 4_000

/** What the far side of the rail does in a storm: payers pay, strangers deposit, recipients give back. */
export function payersOf(scene: Scene) {
  const { site, cast, outcomeOf, merchantOf, nothing, when } = scene
  const { simulator } = site
  /** Payments that wait for a charge to expire. */
  const later: Promise<unknown>[] = []

  return { pay, deposit, giveBack, finished: () => Promise.all(later) }

  async function pay({ charge: of, how, cents }: Of<'pay'>): Promise<Outcome> {
    const { uuid } = await outcomeOf(of)
    const shown = uuid && (await when(merchantOf(of), `${PATHS.charge}/${uuid}`, one => one.payment.payload))
    if (!shown) return nothing('pay')
    const { payload, expires_at } = shown.payment
    const asks = Math.round(shown.total_value * 100)
    const value = how === 'wrong' && cents === asks ? cents + 1 : cents
    const isForced = how === 'again' || how === 'late'
    const chooses = how === 'wrong' || shown.value === 0
    const order = { payload, force: isForced, ...(chooses && { value: reaisFromCents(value) }) }
    if (how === 'late') {
      const untilLateMs = Math.max(0, Date.parse(expires_at) - Date.now()) + LATE_MS
      later.push(sleep(untilLateMs).then(() => unlessRefused(simulator.pay(order))))
      return NOTHING
    }
    return (await unlessRefused(simulator.pay(order))) ? NOTHING : nothing('pay')
  }

  async function deposit({ merchant, cents }: Of<'deposit'>): Promise<Outcome> {
    const { account } = cast.merchants[merchant]!.connections[0]!
    await simulator.deposit({ account, value: reaisFromCents(cents) })
    return NOTHING
  }

  async function giveBack({ transfer: of, share }: Of<'give_back'>): Promise<Outcome> {
    const { uuid } = await outcomeOf(of)
    const isPaid = (shown: { status: string }) => shown.status === 'PAID'
    const shown = uuid && (await when(merchantOf(of), `${PATHS.transfer}/${uuid}`, isPaid))
    if (!shown) return nothing('give_back')
    const cents = Math.max(1, Math.floor((Math.round(shown.value * 100) * share) / 100))
    const { end_to_end } = shown.transfer
    const given = await unlessRefused(simulator.returns({ end_to_end, value: reaisFromCents(cents) }))
    return given ? NOTHING : nothing('give_back')
  }
}

/** The far side may refuse: a code that is no longer payable, money that is no longer there. */
async function unlessRefused(something: Promise<unknown>): Promise<boolean> {
  try {
    await something
    return true
  } catch (error) {
    if (error instanceof SimulatorRefusal) return false
    throw error
  }
}
