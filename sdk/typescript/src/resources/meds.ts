import type { Body, Call, CallOptions, Filters, KeyedCallOptions, Query } from '../call.ts'
import type { Dispute } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** The reply to a dispute. */
export type MedReply = {
  /** True accepts the dispute: the money goes back. */
  accept: boolean
  /** Why. */
  analysis: string
  /** Proofs: PDF, PNG, JPEG or WebP. */
  attachments?: MedAttachment[]
}
/** The contest of what was returned by a dispute. */
export type MedContest = Omit<MedReply, 'accept'>
export type MedAttachment = { file: Blob; name?: string }

/** Disputes (MEDs). */
export const createMeds = (call: Call) => ({
  /** Lists disputes, a page of them. */
  list: defineList<'listMeds', Dispute>((query, options) => call('listMeds', { query }, options)),
  /** Iterates over all disputes that match. */
  listAll: (query?: Filters<'listMeds'>, options?: CallOptions): AsyncGenerator<Dispute> =>
    iterateList(query, page => call('listMeds', { query: page }, options)),
  /** Reads a dispute. */
  get: (uuid: string, options?: CallOptions): Promise<Dispute> => call('getMed', { path: { uuid } }, options),
  /** Reads what is recorded of a disputed PIX: the bytes of a PDF. */
  getEvidencePdf: (
    uuid: string,
    query?: Query<'getMedEvidencePdf'>,
    options?: CallOptions,
  ): Promise<Uint8Array> => call('getMedEvidencePdf', { path: { uuid }, query }, options),
  /** Asks for the money of a transfer back, once for ever for each transfer. Returns when its provider has the request. */
  request: (body: Body<'requestMed'>, options?: KeyedCallOptions): Promise<Dispute> =>
    call('requestMed', { body }, options),
  /** Cancels what the account has requested, at its provider. */
  cancel: (uuid: string, options?: CallOptions): Promise<Dispute> =>
    call('cancelMed', { path: { uuid } }, options),
  /** Answers a PENDING dispute, once. */
  reply: (uuid: string, reply: MedReply, options?: KeyedCallOptions): Promise<Dispute> =>
    call('replyToMed', { path: { uuid }, body: buildForm(reply) }, options),
  /** Contests what was returned by a dispute, once. */
  contest: (uuid: string, contest: MedContest, options?: KeyedCallOptions): Promise<Dispute> =>
    call('contestMed', { path: { uuid }, body: buildForm(contest) }, options),
})
export type Meds = ReturnType<typeof createMeds>

function buildForm({ accept, analysis, attachments = [] }: Partial<MedReply> & MedContest): FormData {
  const form = new FormData()
  if (accept !== undefined) form.append('accept', String(accept))
  form.append('analysis', analysis)
  for (const [index, { file, name = `attachment-${index + 1}` }] of attachments.entries())
    form.append(`attachments[${index}][file]`, file, name)
  return form
}
