import { z } from 'zod'
import { disputeTypeOf } from '../../domain/disputes/dispute.ts'
import type {
  DisputeReference,
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDispute,
  ProviderDisputeReply,
  ReplyToDisputeOutcome,
} from '../../domain/disputes/provider-dispute.ts'
import { checkReplyText, formatReplyText } from '../../domain/disputes/reply-text.ts'
import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import type { ProviderList } from '../adapter/list-reader.ts'
import { completeDisputes } from '../adapter/listed-disputes.ts'
import { isDuplicate } from '../adapter/outcomes.ts'
import { hasReturnPeriodEnded } from '../adapter/statement-period.ts'
import { getBacenTime, mapBacenSettledReturn, readBacenReturns } from '../bacen/mapping.ts'
import {
  type BacenDevolucao,
  type BacenReceivedDevolucao,
  bacenListedDevolucaoSchema,
  bacenReceivedDevolucaoSchema,
  bacenReceivedPixSchema,
  isDisputeDevolucao,
} from '../bacen/schemas.ts'
import { encodePath } from '../http/client.ts'
import type { DisputeCalls } from '../port.ts'
import type { EfiClient } from './client.ts'
import {
  type EfiInfraction,
  efiDefenceRequestSchema,
  efiInfractionSchema,
  efiSentPixSchema,
} from './schemas.ts'

/**
 * Creates the calls about disputes ("Endpoints exclusivos Efí": Listar infrações MED, Submeter defesa). Efí does not
 * notify disputes and has no look-up by id, so a single one is found in the list. Its side and its returns are not
 * part of the list either: they are read from the disputed PIX.
 */
export function createEfiDisputes(client: EfiClient, now: () => number): DisputeCalls {
  const { readAllPages } = client
  return { listDisputes, findDispute, replyToDispute }

  async function listDisputes(from: string, to: string): Promise<ListDisputesOutcome> {
    const period = { from, to }
    const list = await readAllPages(buildInfractionList('listDisputes'), period)
    if (list.kind === 'no_answer') return list
    return completeDisputes(list.items, resolveDispute, infraction => {
      const call = { call: 'listDisputes', reference: infraction.idInfracao, period } as const
      return client.recordItem(call, infraction)
    })
  }

  async function findDispute({ id }: DisputeReference): Promise<FindDisputeOutcome> {
    const from = new Date(now() - DISPUTE_PERIOD_MS).toISOString()
    const to = new Date(now() + DAY_MS).toISOString()
    const list = await readAllPages(buildInfractionList('findDispute'), { from, to })
    if (list.kind === 'no_answer') return list
    const infraction = list.items.find(({ idInfracao }) => idInfracao === id)
    if (!infraction)
      return list.unreadableItems.every(item => isOtherInfraction(item, id))
        ? { kind: 'not_found' }
        : unreadableDispute
    return resolveDispute(infraction)
  }

  /**
   * Builds a dispute from its infraction and its PIX, looked up among received PIX, then among sent ones. A PIX that
   * Efí finds in neither was received before this connection could see it.
   */
  async function resolveDispute(infraction: EfiInfraction): Promise<FindDisputeOutcome> {
    const { endToEndId } = infraction
    const call = { call: 'findDisputedPix', reference: endToEndId } as const
    const receivedCall = { ...call, path: encodePath`/v2/pix/${endToEndId}` }
    const received = await client.lookUp(receivedCall, bacenReceivedPixSchema, (pix, notes) => ({
      pix: {
        valor: pix.valor,
        at: pix.horario,
        ...readBacenReturns<ListedDevolucao>(bacenListedDevolucaoSchema, pix, notes),
      },
    }))
    if (received.kind === 'no_answer') return received
    if (received.kind === 'found') return buildDispute(infraction, { kind: 'RECEIVED_MED', ...received.pix })
    const sentCall = { ...call, path: encodePath`/v2/gn/pix/enviados/${endToEndId}` }
    const sentPix = await client.lookUp(sentCall, efiSentPixSchema, (pix, notes) => ({
      pix: {
        valor: pix.valor,
        at: getBacenTime(pix.horario),
        ...readBacenReturns<ListedDevolucao>(bacenReceivedDevolucaoSchema, pix, notes),
      },
    }))
    if (sentPix.kind === 'no_answer') return sentPix
    if (sentPix.kind === 'found') return buildDispute(infraction, { kind: 'REQUESTED_MED', ...sentPix.pix })
    const { valor } = infraction
    return buildDispute(infraction, { kind: 'RECEIVED_MED', valor, returns: [], isComplete: true })
  }

  /**
   * Submits a defence, which Efí accepts once and before the deadline. Accepting the dispute makes no call: Efí has
   * none for it, and decides a dispute without a defence for the payer. A defence that exists already is this one, or
   * one submitted in Efí's app.
   */
  async function replyToDispute(reply: ProviderDisputeReply): Promise<ReplyToDisputeOutcome> {
    if (reply.accept) return { kind: 'accepted' }
    // The API refuses such a reply before it accepts it; links that a new key or bucket made longer arrive here.
    const excess = checkReplyText('efi', reply)
    if (excess) return refuseReply(`Efí accepts a defence of at most ${excess.maxLength} characters`)
    const justificativa = formatReplyText(reply)
    const path = encodePath`/v2/gn/infracoes/${reply.id}/defesa`
    const json = efiDefenceRequestSchema.parse({ analise: 'rejeitado', justificativa })
    const call = { call: 'replyToDispute', reference: reply.id, method: 'POST', path } as const
    const outcome = await client.send({ ...call, json, hasOwnConnection: true }, ANY_ANSWER, () => ({}))
    if (!isDuplicate(outcome)) return outcome
    const lookUp = await findDispute(reply)
    if (lookUp.kind !== 'found') return outcome
    return lookUp.dispute.status === 'open' ? refuseReply(outcome.message) : { kind: 'accepted' }
  }

  function buildDispute(infraction: EfiInfraction, pix: DisputedPix): FindDisputeOutcome {
    const { dadosAnalise, tipoSituacao, tipoFraude, razao } = infraction
    const status = DISPUTE_STATUSES[infraction.status]
    const dispute: ProviderDispute = {
      id: infraction.idInfracao,
      kind: pix.kind,
      endToEnd: infraction.endToEndId,
      disputeType: disputeTypeOf(SITUATION_TYPES[tipoSituacao ?? ''] ?? ''),
      cents: infraction.valor,
      status,
      openedAt: dadosAnalise.abertura,
      dueAt: dadosAnalise.prazoFinalizacao ?? null,
      details: [tipoSituacao, tipoFraude, razao].filter(Boolean).join('; '),
      analysis: infraction.justificativaAnalista ?? infraction.comentario ?? '',
      returns: pix.returns
        .filter(
          devolucao =>
            isDisputeDevolucao(devolucao) ||
            (status === 'agreed' && mayBeOfDispute(devolucao, infraction, pix)),
        )
        .flatMap(mapBacenSettledReturn),
      ...(status === 'agreed' && { failedReturnIds: listFailedReturnIds(pix, infraction) }),
      isClosed: status === 'agreed' && hasNoMoreReturns(pix, now()),
    }
    return { kind: 'found', dispute }
  }
}

/** Pix regulation (Res. BCB 103/2021): a PIX is disputed within 80 days and analysed in seven. */
const DAY_MS = 86_400_000
const DISPUTE_PERIOD_MS = 180 * DAY_MS

function buildInfractionList(call: 'listDisputes' | 'findDispute'): ProviderList<typeof call, EfiInfraction> {
  return {
    call,
    path: '/v2/gn/infracoes',
    field: 'infracoes',
    row: efiInfractionSchema,
    keyOf: infraction => infraction.idInfracao,
    toItem: infraction => infraction,
  }
}

/** Tells whether an unreadable infraction provably has another id. */
function isOtherInfraction(item: unknown, id: string): boolean {
  const infraction = z.object({ idInfracao: z.string() }).safeParse(item).data
  return infraction !== undefined && infraction.idInfracao !== id
}

const unreadableDispute = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'Efí lists the dispute in a form that cannot be read',
} as const

const DISPUTE_STATUSES = {
  ABERTA: 'open',
  EM_DEFESA: 'analysing',
  ACEITA: 'agreed',
  REJEITADA: 'disagreed',
  CANCELADA_EFI: 'withdrawn',
} as const satisfies Record<EfiInfraction['status'], ProviderDispute['status']>

/** DICT's SituationType by Efí's names of it. */
const SITUATION_TYPES: Record<string, string> = {
  golpe: 'SCAM',
  'aquisição da conta': 'ACCOUNT_TAKEOVER',
  coerção: 'COERCION',
  'acesso fraudulento': 'FRAUDULENT_ACCESS',
}

type ListedDevolucao = BacenDevolucao | BacenReceivedDevolucao
type DisputedPix = {
  kind: ProviderDispute['kind']
  valor: number
  returns: ListedDevolucao[]
  /** Every devolução that may have moved money was readable. */
  isComplete: boolean
  at?: string | null
}

/**
 * Tells whether a devolução that does not say so may be of an accepted dispute. No document of Efí shows `natureza`, so any
 * of a received PIX may be: the caller of the adapter leaves out those that it ordered. Of a sent PIX, one that its recipient
 * made after the dispute was opened.
 */
function mayBeOfDispute(
  { horario }: ListedDevolucao,
  { dadosAnalise }: EfiInfraction,
  { kind }: DisputedPix,
): boolean {
  if (kind === 'RECEIVED_MED') return true
  const at = getBacenTime(horario)
  return at !== null && Date.parse(at) >= Date.parse(dadosAnalise.abertura)
}

/**
 * Lists the failed devoluções of an accepted dispute that do not say who ordered them, while none is under way. Of a sent
 * PIX its recipient's failures are not listed, and one from before the dispute is not its.
 */
function listFailedReturnIds(pix: DisputedPix, { dadosAnalise }: EfiInfraction): string[] {
  const { kind, returns, isComplete } = pix
  const isUnderWay = returns.some(({ status }) => status === 'EM_PROCESSAMENTO')
  if (kind !== 'RECEIVED_MED' || !isComplete || isUnderWay) return []
  return returns.flatMap(({ id, status, natureza, horario }) => {
    const at = getBacenTime(horario)
    const isEarlier = at !== null && Date.parse(at) < Date.parse(dadosAnalise.abertura)
    return status === 'NAO_REALIZADO' && !natureza && id && !isEarlier ? [id] : []
  })
}

/** Tells whether no return can follow: the dispute's return failed, all is returned, or the period is over. */
function hasNoMoreReturns({ valor, returns, isComplete, at }: DisputedPix, now: number): boolean {
  if (!isComplete || returns.some(({ status }) => status === 'EM_PROCESSAMENTO')) return false
  const settledReturns = returns.filter(({ status }) => status === 'DEVOLVIDO')
  const returnedCents = settledReturns.reduce((sum, devolucao) => sum + devolucao.valor, 0)
  const hasFailed = returns.some(
    devolucao => isDisputeDevolucao(devolucao) && devolucao.status === 'NAO_REALIZADO',
  )
  return hasFailed || returnedCents >= valor || (at != null && hasReturnPeriodEnded(at, now))
}

function refuseReply(message: string): ReplyToDisputeOutcome {
  return { kind: 'rejected', finality: 'final', code: 'reply_refused', message }
}
