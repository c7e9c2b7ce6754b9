import type { DisputeType, MedKind } from './med.ts'
import type { ReturnName } from './pix-return.ts'
import type { Dialect, NoAnswer, NotFound, Rejected, Unknown, Unreachable } from './provider.ts'

/** A dispute as its provider reports it; times are ISO 8601 UTC. */
export type MedFacts = {
  /** The provider's own id of the dispute, by which a repeated notification is recognised. */
  id: string
  kind: MedKind
  /** The end-to-end id of the disputed PIX: one we received, or one we sent (REQUESTED_MED). */
  endToEnd: string
  /** Ours, made from DICT's SituationType by `disputeTypeOf`. */
  disputeType: DisputeType
  /** What the payer wants back; null where the provider does not say, which means the whole PIX. */
  cents: number | null
  /** `open` waits for a reply, `analysing` has one or had none in time; the others are decisions. */
  status: 'open' | 'analysing' | 'agreed' | 'disagreed' | 'withdrawn'
  openedAt: string
  /** The provider's deadline for a reply. */
  dueAt: string | null
  /** Coded text, as the provider words it: its situation, its reason. */
  details: string
  /** The provider's or the payer's reasoning. */
  analysis: string
  /** The provider's own devoluções of nature MED, settled ones only; of a REQUESTED_MED what came back to us. */
  returns: MedReturn[]
  /** Agreed, and nothing more is returned: the matter is over even where `returns` is empty. */
  closed: boolean
}

export type MedReturn = ReturnName & { cents: number; at: string }

/** By its id; the end-to-end id helps a provider that can only list. */
export type MedName = { id: string; endToEnd: string | null }
export type FindMedOutcome = { kind: 'found'; med: MedFacts } | NotFound | NoAnswer
export type ListMedsOutcome = { kind: 'found'; meds: MedFacts[] } | NoAnswer

/** Our answer to a dispute. `accept`: we agree, and the money goes back. */
export type MedReply = {
  id: string
  endToEnd: string
  accept: boolean
  analysis: string
  /** Proofs; `url` is signed, lets the provider read the file, and expires. */
  attachments: { uuid: string; name: string; contentType: string; url: string }[]
}
/** A reply moves no money: after `unknown` the dispute is polled, and the reply sent again where it is still open. */
export type ReplyOutcome = { kind: 'accepted' } | Rejected | Unreachable | Unknown

/** Whether a provider notifies of disputes. One that does not is asked for its list every few minutes. */
export const TELLS_OF_MEDS: Record<Dialect, boolean> = { efi: false, woovi: true }
