import type { SimulatedAccount } from '../../accounts.ts'
import type { RailEvent } from '../../rail-events.ts'
import type { ChargeTry } from '../../recurrences/automatic-charges.ts'
import {
  presentAutomaticPix,
  presentNotifiedCharge,
  presentNotifiedRecurrence,
} from './recurrence-presenters.ts'

/** Kinds of the webhooks of recurrences, of which an account has one each; the kind is appended to the URL. */
export type RecurrenceWebhookKind = 'rec' | 'cobr'

type RecurrenceEvent = Extract<RailEvent, { kind: 'recurrence' | 'automatic_charge' }>

export function isRecurrenceEvent(event: RailEvent): event is RecurrenceEvent {
  return event.kind === 'recurrence' || event.kind === 'automatic_charge'
}

/** Builds the body about a recurrence or an automatic charge, and the kind of the webhook to which it goes. */
export function buildRecurrenceBody(
  event: RecurrenceEvent,
  presentTry: (account: SimulatedAccount, chargeTry: ChargeTry) => object,
): { kind: RecurrenceWebhookKind; body: object } {
  if (event.kind === 'recurrence')
    return { kind: 'rec', body: { recs: [presentNotifiedRecurrence(event.recurrence)] } }
  const { account, charge, receipt } = event
  const tries = event.tries.map(chargeTry => presentTry(account, chargeTry))
  const pix = receipt && presentAutomaticPix(receipt)
  return { kind: 'cobr', body: { cobsr: [presentNotifiedCharge(charge, { tries, pix })] } }
}

/** An id that no recurrence has. */
const INVENTED_ID = `RN${'0'.repeat(27)}`

/** Changes the body about a recurrence or automatic charge into one about another that does not exist. */
export function inventRecurrence(body: string): string {
  const invented: unknown = JSON.parse(body, (name, value: unknown) => {
    if (name === 'idRec') return INVENTED_ID
    return name === 'txid' ? '0'.repeat(32) : value
  })
  return JSON.stringify(invented)
}
