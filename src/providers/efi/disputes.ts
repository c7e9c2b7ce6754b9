import { z } from 'zod'
import { disputeTypeOf } from '../../domain/disputes/dispute.ts'
import type {
  DisputeReference,
  FindDisputeOutcome,
  ProviderDispute,
  ProviderDisputeReply,
  ReplyToDisputeOutcome,
} from '../../domain/disputes/provider-dispute.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { type AnswerNotes, countItems, parseAnswer, parseItems } from '../adapter/answer-parsing.ts'
import type { UnexplainedAnswer } from '../adapter/unexplained-answers.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { getEfiTime, mapEfiSettledReturn } from './mapping.ts'
import { createEfiPagination, type EfiList, type EfiListPeriod } from './pagination.ts'
import {
  type EfiDevolucao,
  type EfiInfraction,
  type EfiReceivedDevolucao,
  efiDefenceRequestSchema,
  efiDevolucaoSchema,
  efiInfractionSchema,
  efiReceivedDevolucaoSchema,
  efiReceivedPixSchema,
  efiSentPixSchema,
  isDisputeDevolucao,
  MAX_DEFENCE_LENGTH,
} from './schemas.ts'

/**
 * Disputes as Efí lists them ("Endpoints exclusivos Efí": Listar infrações MED, Submeter defesa). It tells of none, finds
 * none by its id, and says neither whose side a dispute is on nor what came of it: that the PIX itself knows.
 */
export function createEfiDisputes(
  client: EfiClient,
  now: () => number,
): Pick<Provider, 'listDisputes' | 'findDispute' | 'replyToDispute'> {
  const { readAllPages } = createEfiPagination(client)
  return { listDisputes, findDispute, replyToDispute }

  /** A dispute whose PIX cannot be read is left out, like one that cannot be read itself; without an answer there is no list. */
  async function listDisputes(from: string, to: string) {
    const period = { from, to }
    const listed = await readAllPages(buildInfractionList('listDisputes'), period)
    if (listed.kind === 'no_answer') return listed
    const meds: ProviderDispute[] = []
    for (const one of listed.items) {
      const facts = await factsOf(one)
      if (facts.kind !== 'no_answer') meds.push(facts)
      else if (facts.code !== 'unreadable_answer') return facts
      else await client.record(toUnreadableItemAnswer(one, period))
    }
    return { kind: 'found' as const, disputes: meds }
  }

  async function findDispute({ id }: DisputeReference): Promise<FindDisputeOutcome> {
    const from = new Date(now() - DISPUTE_PERIOD_MS).toISOString()
    const to = new Date(now() + DAY_MS).toISOString()
    const listed = await readAllPages(buildInfractionList('findDispute'), { from, to })
    if (listed.kind === 'no_answer') return listed
    const found = listed.items.find(one => one.idInfracao === id)
    if (!found)
      return listed.unreadableItems.every(one => isOtherInfraction(one, id))
        ? { kind: 'not_found' }
        : unreadableDispute
    const facts = await factsOf(found)
    return facts.kind === 'no_answer' ? facts : { kind: 'found', dispute: facts }
  }

  /** A PIX that is neither received nor sent here was received before this connection could tell. */
  async function factsOf(one: EfiInfraction): Promise<ProviderDispute | NoAnswerResult> {
    const endToEnd = encodeURIComponent(one.endToEndId)
    const asked = { call: 'findDisputedPix', reference: one.endToEndId, method: 'GET' } as const
    const came = await client.lookUp({ ...asked, path: `/v2/pix/${endToEnd}` }, (json, notes) => {
      const pix = parseAnswer(efiReceivedPixSchema, json, notes)
      const returns = pix && parseWholeList(efiDevolucaoSchema, pix.devolucoes, notes)
      return returns && { pix, returns }
    })
    if (came.kind === 'no_answer') return came
    if (came.kind === 'found') {
      const { valor, horario: at } = came.pix
      return medOf(one, { kind: 'RECEIVED_MED', valor, at, returns: came.returns })
    }
    const left = await client.lookUp({ ...asked, path: `/v2/gn/pix/enviados/${endToEnd}` }, (json, notes) => {
      const pix = parseAnswer(efiSentPixSchema, json, notes)
      const returns = pix && parseWholeList(efiReceivedDevolucaoSchema, pix.devolucoes, notes)
      return returns && { pix, returns }
    })
    if (left.kind === 'no_answer') return left
    if (left.kind === 'not_found') return medOf(one, { kind: 'RECEIVED_MED', valor: one.valor, returns: [] })
    const { valor, horario } = left.pix
    return medOf(one, { kind: 'REQUESTED_MED', valor, at: getEfiTime(horario), returns: left.returns })
  }

  /**
   * Efí takes a defence, once and before the deadline. It takes no acceptance: who agrees submits no defence, and the dispute
   * is decided without one, so agreeing is nothing to send. A defence that is there already is this one, or one from Efí's app.
   */
  async function replyToDispute(reply: ProviderDisputeReply): Promise<ReplyToDisputeOutcome> {
    if (reply.accept) return { kind: 'accepted' }
    const justificativa = buildDefenceText(reply)
    if (justificativa.length > MAX_DEFENCE_LENGTH) return defenceTooLong
    const path = `/v2/gn/infracoes/${encodeURIComponent(reply.id)}/defesa`
    const json = efiDefenceRequestSchema.parse({ analise: 'rejeitado', justificativa })
    const call = { call: 'replyToDispute', reference: reply.id, method: 'POST', path } as const
    const outcome = await client.send({ ...call, json, hasOwnConnection: true }, () => ({}))
    if (outcome.kind !== 'unknown' || outcome.code !== 'duplicate_id') return outcome
    const found = await findDispute(reply)
    if (found.kind !== 'found') return outcome
    return found.dispute.status === 'open' ? rejectWhileOpen(outcome.message) : { kind: 'accepted' }
  }

  function medOf(one: EfiInfraction, pix: DisputedPix): ProviderDispute {
    const { dadosAnalise, tipoSituacao, tipoFraude, razao } = one
    const status = DISPUTE_STATUSES[one.status]
    return {
      id: one.idInfracao,
      kind: pix.kind,
      endToEnd: one.endToEndId,
      disputeType: disputeTypeOf(SITUATION_TYPES[tipoSituacao ?? ''] ?? ''),
      cents: one.valor,
      status,
      openedAt: dadosAnalise.abertura,
      dueAt: dadosAnalise.prazoFinalizacao ?? null,
      details: [tipoSituacao, tipoFraude, razao].filter(Boolean).join('; '),
      analysis: one.justificativaAnalista ?? one.comentario ?? '',
      returns: pix.returns.filter(isDisputeDevolucao).flatMap(mapEfiSettledReturn),
      isClosed: status === 'agreed' && hasNoMoreReturns(pix, now()),
    }
  }
}

/** Pix regulation (Res. BCB 103/2021): a PIX is disputed within 80 days, analysed in seven, and returned within 90. */
const DAY_MS = 86_400_000
const DISPUTE_PERIOD_MS = 180 * DAY_MS
const RETURN_PERIOD_MS = 91 * DAY_MS

function buildInfractionList(call: 'listDisputes' | 'findDispute'): EfiList<EfiInfraction> {
  return {
    ...{ call, path: '/v2/gn/infracoes', field: 'infracoes', row: efiInfractionSchema },
    keyOf: one => one.idInfracao,
    itemOf: one => one,
  }
}

/** Every item of a list, or undefined where one cannot be read: what a dispute brought back is known whole or not at all. */
function parseWholeList<T>(shape: z.ZodType<T>, list: unknown, notes: AnswerNotes): T[] | undefined {
  const items = parseItems(shape, list, notes)
  return items.length === countItems(list) ? items : undefined
}

/** Whether an infraction that cannot be read is another one. */
function isOtherInfraction(one: unknown, id: string): boolean {
  const told = z.object({ idInfracao: z.string() }).safeParse(one).data
  return told !== undefined && told.idInfracao !== id
}

const unreadableDispute = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'Efí lists the dispute in a form that cannot be read',
} as const

function toUnreadableItemAnswer(one: EfiInfraction, period: EfiListPeriod): UnexplainedAnswer {
  const item = { operation: 'listDisputes', reference: one.idInfracao, kind: 'unreadable_item' } as const
  return { ...item, status: 200, name: '', body: JSON.stringify(one), period }
}

const DISPUTE_STATUSES = {
  ABERTA: 'open',
  EM_DEFESA: 'analysing',
  ACEITA: 'agreed',
  REJEITADA: 'disagreed',
  CANCELADA_EFI: 'withdrawn',
} as const satisfies Record<EfiInfraction['status'], ProviderDispute['status']>

/** Efí's words for DICT's SituationType. */
const SITUATION_TYPES: Record<string, string> = {
  golpe: 'SCAM',
  'aquisição da conta': 'ACCOUNT_TAKEOVER',
  coerção: 'COERCION',
  'acesso fraudulento': 'FRAUDULENT_ACCESS',
}

type DisputedPix = {
  kind: ProviderDispute['kind']
  valor: number
  returns: (EfiDevolucao | EfiReceivedDevolucao)[]
  at?: string | null
}

/** Nothing more comes back: it could not be carried out, nothing is left to return, or it is too late to. */
function hasNoMoreReturns({ valor, returns: all, at }: DisputedPix, now: number): boolean {
  if (all.some(({ status }) => status === 'EM_PROCESSAMENTO')) return false
  const given = all.filter(({ status }) => status === 'DEVOLVIDO').reduce((sum, one) => sum + one.valor, 0)
  const isUnprocessed = all.some(one => isDisputeDevolucao(one) && one.status === 'NAO_REALIZADO')
  return isUnprocessed || given >= valor || (at != null && now - Date.parse(at) > RETURN_PERIOD_MS)
}

/** Efí takes a text and nothing else, so the text says where the proofs are; those that do not fit are counted. */
function buildDefenceText({ analysis, attachments }: ProviderDisputeReply): string {
  const lines = attachments.map(({ name, url }) => `${name}: ${url}`)
  for (let shown = lines.length; shown >= 0; shown--) {
    const hidden = lines.length - shown
    const more = hidden > 0 ? [`Outros anexos: ${hidden}`] : []
    const text = [
      analysis,
      ...(lines.length > 0 ? ['', 'Anexos:'] : []),
      ...lines.slice(0, shown),
      ...more,
    ].join('\n')
    if (text.length <= MAX_DEFENCE_LENGTH) return text
  }
  return analysis
}

const defenceTooLong: ReplyToDisputeOutcome = {
  ...{ kind: 'rejected', finality: 'final', code: 'reply_refused' },
  message: `Efí takes at most ${MAX_DEFENCE_LENGTH} characters of defence`,
}

function rejectWhileOpen(message: string): ReplyToDisputeOutcome {
  return { kind: 'rejected', finality: 'final', code: 'reply_refused', message }
}
