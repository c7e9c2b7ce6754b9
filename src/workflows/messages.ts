import { defineSignal, defineUpdate } from '@temporalio/workflow'
import type { AttachmentType } from '../domain/attachment.ts'
import type { ChargeState } from '../domain/charge.ts'
import type { SeenAttempt } from '../domain/money-out.ts'
import type { Begun } from './shown.ts'

/** What lives are told and asked, shared with the API. */

/**
 * Of a life that is newer than its database, which was restored from a backup (SPEC §11): it is rebuilt from what its
 * providers know by our id, and never issued or sent again.
 */
export type Restored = {
  /** ISO 8601 UTC: when it was ordered. */
  orderedAt: string
  /** What its life came to before the restore, where it had ended. */
  ended?: string
  /** Why it had failed, by code, as far as its history tells. */
  failure?: string
  /** The connection that carried it as far as its life knew. */
  connectionUuid?: string
  /** Its time had not come when money out was paused, so that nobody was called for it: it goes on as ordered. */
  waits?: true
}

/** Of a life that was stored and answered, and whose history grew long while its provider could not tell. */
export type GoesOn = {
  /** ISO 8601 UTC: when it was ordered. */
  orderedAt: string
}

/** The order that issues a charge; names, documents and references travel sealed. */
export type ChargeOrder = Begun & {
  uuid: string
  accountUuid: string
  /** Connections in order of priority, each at a provider account of its own. */
  candidates: string[]
  valueCents: number
  expiresInSeconds: number
  /** ChargeDetails, sealed. */
  details: string
  requestId: string
  timeScale: number
  restored?: Restored
}

/** What of an order must not be read in a history. `amount` is hundredths of a percent, or centavos where FIXED. */
export type ChargeDetails = {
  externalRef?: string
  finalBeneficiary?: { name: string; document: string }
  splits: { type: 'PERCENTAGE' | 'FIXED'; amount: number; recipientAccountUuid: string }[]
  fingerprint: string
}

/**
 * Wakes an ended life from its row: it asks, and never issues or sends anew. `told` are the connections that an earlier
 * run heard a notice of and got no answer from. `restored`: what its row is given back before anything is asked.
 */
export type Resumed = {
  resume: string
  timeScale: number
  told?: string[]
  restored?: Restored
  unfinished?: Unfinished
}

/** Of a row that moves and had lost its workflow: whoever may have its money is asked. `orderedAt`: ISO 8601 UTC. */
export type Unfinished = { candidates: string[]; orderedAt: string }

/** Something at a provider changed; the provider is asked what. */
export type ProviderNotice = {
  noticeUuid: string
  connectionUuid: string
  /** It has just come. Absent of one that is handed over later, and of those of earlier releases. */
  justNow?: true
  /** It is about what the recipient of a transfer gave back. */
  tellsReturn?: true
}
export const providerNotice = defineSignal<[ProviderNotice]>('providerNotice')

/** Answers when the charge has been issued, or cannot be. */
export const ready = defineUpdate<ChargeState>('ready')

export type CancelAnswer = { kind: 'over'; state: ChargeState } | { kind: 'no_answer' }
/** Cancels a pending charge at its provider; answers what came of it. */
export const cancelCharge = defineUpdate<CancelAnswer>('cancelCharge')

/** The order that refunds a charge; `fingerprint` is of the request that asked for it. */
export type RefundOrder = {
  uuid: string
  chargeUuid: string
  accountUuid: string
  /** The connection that received the PIX: a refund goes nowhere else. */
  connectionUuid: string
  valueCents: number
  fingerprint: string
  /** Without a key: ISO 8601, by PostgreSQL's clock; stored later, it is FAILED and nobody is called. */
  takeBefore?: string
  requestId: string
  timeScale: number
  restored?: Restored
  goesOn?: GoesOn
}

/** The order that sends money; key, document, names and references travel sealed. */
export type TransferOrder = Begun & {
  uuid: string
  accountUuid: string
  /** Connections in order of priority; of one that goes on, the one that cannot tell and those after it. */
  candidates: string[]
  valueCents: number
  /** TransferDetails, sealed. */
  details: string
  /** ISO 8601 UTC: sent from then on, and not before. */
  scheduledFor?: string
  /** ISO 8601 UTC by PostgreSQL's clock: a life that would store its row later stores it FAILED and calls nobody. */
  takeBefore?: string
  requestId: string
  timeScale: number
  restored?: Restored
  /**
   * `candidates` are all that there were: money may have gone through any of them. `told` are those that an earlier run heard
   * a notice of and has not asked yet.
   */
  goesOn?: GoesOn & { candidates: string[]; told?: string[] }
  /** Its first attempt writes its row. Absent of lives that began before, and of those that wait for their time. */
  storedWhenSent?: true
}

export type TransferDetails = {
  pixKey: string
  document?: string
  externalRef?: string
  finalBeneficiary?: { name: string; document: string }
  fingerprint: string
}

/** Answers when what was ordered is accepted, refused by all, or cannot be done. */
export const answered = defineUpdate<void>('answered')

/** Cancels a waiting transfer; false where it has been sent already. */
export const cancelTransfer = defineUpdate<boolean>('cancelTransfer')

/**
 * What an operator found out about an attempt whose provider cannot tell; the reason is kept with it. It applies to the
 * attempt and sending that it names, and to no other.
 */
export type OperatorsWord = SeenAttempt &
  ({ as: 'rejected'; reason: string } | { as: 'settled'; endToEnd: string; reason: string })
export const operatorSettles = defineSignal<[OperatorsWord]>('operatorSettles')

/** The unmatched PIX that an operator keeps; `sending`: how often its return had been sent when the operator looked. */
export type KeepOrder = { uuid: string; sending: number }

/**
 * A dispute, as its provider names it. The same order opens it, wakes it and answers it: the life asks the provider and
 * finds its row, or writes it.
 */
export type MedOrder = {
  uuid: string
  /** A connection that reaches the provider: the one a notice came through, or the disputed PIX's. */
  connectionUuid: string
  providerMedId: string
  /** Of the disputed PIX, where it is known. */
  endToEnd: string | null
  /** An earlier run heard of something new, and got no answer. */
  told?: true
  requestId: string
  timeScale: number
}

/** What a merchant answers; it travels sealed. */
export type MedReplyDetails = {
  accept: boolean
  analysis: string
  /** Files that the file store has taken already. */
  attachments: {
    uuid: string
    name: string
    contentType: AttachmentType
    bytes: number
    storageKey: string
  }[]
}
export type MedReplyOrder = {
  /** MedReplyDetails, sealed. */
  details: string
  requestId: string
}
/** `taken`: the dispute shows PROCESSING and its provider is told. */
export type MedReplyAnswer = 'taken' | 'med_already_answered' | 'med_not_answerable'
/** Answers when the reply has been taken, once only, or cannot be. */
export const replyMed = defineUpdate<MedReplyAnswer, [MedReplyOrder]>('replyMed')

/** The row of a delivery was changed: its life looks at it at once. */
export const deliveryChanged = defineSignal('deliveryChanged')
