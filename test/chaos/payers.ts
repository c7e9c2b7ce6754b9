import { setTimeout as sleep } from 'node:timers/promises'
import { reaisFromCents } from '../../src/domain/money.ts'
import { SimulatorRefusal } from '../../src/simulator/client.ts'
import { inTurn } from './in-turn.ts'
import { NOTHING, type Of, type Outcome, PATHS, type Scene } from './scene.ts'

/** A payload can be paid for so long after its time that its charge has surely expired. */
const LATE_MS = 4_000
/** A charge that can be paid for longer is paid now: a storm does not wait for it to expire. */
const MOST_LATE_MS = 90_000

/** What the far side of the rail does in a storm: payers pay, strangers deposit, recipients give back, banks contest. */
export function payersOf(scene: Scene) {
  const { site, cast, outcomeOf, merchantOf, nothing, when } = scene
  const { simulator } = site
  /** Payments that wait for a charge to expire. */
  const later: Promise<unknown>[] = []

  return { pay, deposit, giveBack, dispute, decide, decideTheRest, finished: () => Promise.all(later) }

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
    const untilLateMs = Math.max(0, Date.parse(expires_at) - Date.now()) + LATE_MS
    if (how === 'late' && untilLateMs <= MOST_LATE_MS) {
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

  async function dispute({ about, share, type }: Of<'dispute'>): Promise<Outcome> {
    const pix = await pixOf(about)
    if (!pix) return nothing('dispute')
    const { end_to_end, cents } = pix
    const value = reaisFromCents(Math.max(1, Math.floor((cents * share) / 100)))
    const opened = await unlessRefused(simulator.med({ end_to_end, type, value }))
    if (!opened) return nothing('dispute')
    const one = { id: opened.id, endToEnd: end_to_end, about }
    scene.disputes.push(one)
    return { uuid: null, dispute: one }
  }

  /** The PIX that paid a charge, or that a transfer sent. */
  async function pixOf(about: number): Promise<{ end_to_end: string; cents: number } | null> {
    const { uuid } = await outcomeOf(about)
    const kind = scene.operations[about]!.kind === 'charge' ? 'charge' : 'transfer'
    const named = (shown: Named) => endToEndOf(shown) !== ''
    const shown = uuid && (await when(merchantOf(about), `${PATHS[kind]}/${uuid}`, named))
    if (!shown) return null
    return { end_to_end: endToEndOf(shown), cents: Math.round((shown.total_value ?? shown.value) * 100) }
  }

  async function decide({ dispute: of, decision }: Of<'decide'>): Promise<Outcome> {
    const { dispute: one } = await outcomeOf(of)
    const decided = one && (await unlessRefused(simulator.decideMed(one.id, decision)))
    return decided ? NOTHING : nothing('decide')
  }

  /** No analysis goes on for ever; the far side refuses those that are decided already. */
  async function decideTheRest(): Promise<void> {
    await inTurn([...scene.disputes.entries()], ([place, { id }]) =>
      unlessRefused(simulator.decideMed(id, LAST_WORDS[place % LAST_WORDS.length]!)),
    )
  }
}

const LAST_WORDS = ['disagreed', 'agreed', 'cancelled'] as const

type Named = {
  payment?: { pix?: { transaction?: { end_to_end: string } | null } }
  transfer?: { end_to_end: string }
}
function endToEndOf({ payment, transfer }: Named): string {
  return payment?.pix?.transaction?.end_to_end ?? transfer?.end_to_end ?? ''
}

/** The far side may refuse: a code that is no longer payable, money that is no longer there. Null then. */
async function unlessRefused<Answer>(something: Promise<Answer>): Promise<Answer | null> {
  try {
    return await something
  } catch (error) {
    if (error instanceof SimulatorRefusal) return null
    throw error
  }
}
