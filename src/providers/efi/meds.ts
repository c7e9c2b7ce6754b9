import { z } from 'zod'
import { disputeTypeOf } from '../../domain/med.ts'
import type { FindMedOutcome, MedFacts, MedName, MedReply, ReplyOutcome } from '../../domain/med-facts.ts'
import type { NoAnswer } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import { lengthOf, type ReadNotes, readItems, readShape } from '../reading.ts'
import type { UnexplainedAnswer } from '../unexplained.ts'
import type { EfiClient } from './client.ts'
import { returnOf, timeOf } from './mapping.ts'
import { type List, type Period, pagesOf } from './pages.ts'
import {
  type Infraction,
  infraction,
  isOfMed,
  LONGEST_DEFENCE,
  newDefence,
  type Returned,
  type ReturnedToUs,
  received,
  returned,
  returnedToUs,
  sent,
} from './shapes.ts'

/**
 * Disputes as Efí lists them ("Endpoints exclusivos Efí": Listar infrações MED, Submeter defesa). It tells of none, finds
 * none by its id, and says neither whose side a dispute is on nor what came of it: that the PIX itself knows.
 */
export function meds(
  client: EfiClient,
  now: () => number,
): Pick<Provider, 'listMeds' | 'findMed' | 'replyMed'> {
  const { everyPage } = pagesOf(client)
  return { listMeds, findMed, replyMed }

  /** A dispute whose PIX cannot be read is left out, like one that cannot be read itself; without an answer there is no list. */
  async function listMeds(from: string, to: string) {
    const period = { from, to }
    const listed = await everyPage(infractionsOf('listMeds'), period)
    if (listed.kind === 'no_answer') return listed
    const meds: MedFacts[] = []
    for (const one of listed.items) {
      const facts = await factsOf(one)
      if (facts.kind !== 'no_answer') meds.push(facts)
      else if (facts.code !== 'unreadable_answer') return facts
      else await client.record(leftOut(one, period))
    }
    return { kind: 'found' as const, meds }
  }

  async function findMed({ id }: MedName): Promise<FindMedOutcome> {
    const from = new Date(now() - LOOK_BACK_MS).toISOString()
    const to = new Date(now() + DAY_MS).toISOString()
    const listed = await everyPage(infractionsOf('findMed'), { from, to })
    if (listed.kind === 'no_answer') return listed
    const found = listed.items.find(one => one.idInfracao === id)
    if (!found) return listed.leftOut.every(one => isOther(one, id)) ? { kind: 'not_found' } : unreadable
    const facts = await factsOf(found)
    return facts.kind === 'no_answer' ? facts : { kind: 'found', med: facts }
  }

  /** A PIX that is neither received nor sent here was received before this connection could tell. */
  async function factsOf(one: Infraction): Promise<MedFacts | NoAnswer> {
    const endToEnd = encodeURIComponent(one.endToEndId)
    const asked = { call: 'findDisputedPix', reference: one.endToEndId, method: 'GET' } as const
    const came = await client.lookUp({ ...asked, path: `/v2/pix/${endToEnd}` }, (json, notes) => {
      const pix = readShape(received, json, notes)
      const returns = pix && wholeList(returned, pix.devolucoes, notes)
      return returns && { pix, returns }
    })
    if (came.kind === 'no_answer') return came
    if (came.kind === 'found') {
      const { valor, horario: at } = came.pix
      return medOf(one, { kind: 'RECEIVED_MED', valor, at, returns: came.returns })
    }
    const left = await client.lookUp({ ...asked, path: `/v2/gn/pix/enviados/${endToEnd}` }, (json, notes) => {
      const pix = readShape(sent, json, notes)
      const returns = pix && wholeList(returnedToUs, pix.devolucoes, notes)
      return returns && { pix, returns }
    })
    if (left.kind === 'no_answer') return left
    if (left.kind === 'not_found') return medOf(one, { kind: 'RECEIVED_MED', valor: one.valor, returns: [] })
    const { valor, horario } = left.pix
    return medOf(one, { kind: 'REQUESTED_MED', valor, at: timeOf(horario), returns: left.returns })
  }

  /**
   * Efí takes a defence, once and before the deadline. It takes no acceptance: who agrees submits no defence, and the dispute
   * is decided without one, so agreeing is nothing to send. A defence that is there already is this one, or one from Efí's app.
   */
  async function replyMed(reply: MedReply): Promise<ReplyOutcome> {
    if (reply.accept) return { kind: 'accepted' }
    const justificativa = textOf(reply)
    if (justificativa.length > LONGEST_DEFENCE) return tooLong
    const path = `/v2/gn/infracoes/${encodeURIComponent(reply.id)}/defesa`
    const json = newDefence.parse({ analise: 'rejeitado', justificativa })
    const call = { call: 'replyMed', reference: reply.id, method: 'POST', path } as const
    const outcome = await client.send({ ...call, json, fresh: true }, () => ({}))
    if (outcome.kind !== 'unknown' || outcome.code !== 'duplicate_id') return outcome
    const found = await findMed(reply)
    if (found.kind !== 'found') return outcome
    return found.med.status === 'open' ? refusedWhileOpen(outcome.message) : { kind: 'accepted' }
  }

  function medOf(one: Infraction, pix: Disputed): MedFacts {
    const { dadosAnalise, tipoSituacao, tipoFraude, razao } = one
    const status = STATUS[one.status]
    return {
      id: one.idInfracao,
      kind: pix.kind,
      endToEnd: one.endToEndId,
      disputeType: disputeTypeOf(SITUATIONS[tipoSituacao ?? ''] ?? ''),
      cents: one.valor,
      status,
      openedAt: dadosAnalise.abertura,
      dueAt: dadosAnalise.prazoFinalizacao ?? null,
      details: [tipoSituacao, tipoFraude, razao].filter(Boolean).join('; '),
      analysis: one.justificativaAnalista ?? one.comentario ?? '',
      returns: pix.returns.filter(isOfMed).flatMap(returnOf),
      closed: status === 'agreed' && isClosed(pix, now()),
    }
  }
}

/** Pix regulation (Res. BCB 103/2021): a PIX is disputed within 80 days, analysed in seven, and returned within 90. */
const DAY_MS = 86_400_000
const LOOK_BACK_MS = 180 * DAY_MS
const RETURNABLE_MS = 91 * DAY_MS

function infractionsOf(call: 'listMeds' | 'findMed'): List<Infraction> {
  return {
    ...{ call, path: '/v2/gn/infracoes', field: 'infracoes', row: infraction },
    keyOf: one => one.idInfracao,
    itemOf: one => one,
  }
}

/** Every item of a list, or undefined where one cannot be read: what a dispute brought back is known whole or not at all. */
function wholeList<T>(shape: z.ZodType<T>, list: unknown, notes: ReadNotes): T[] | undefined {
  const items = readItems(shape, list, notes)
  return items.length === lengthOf(list) ? items : undefined
}

/** Whether an infraction that cannot be read is another one. */
function isOther(one: unknown, id: string): boolean {
  const told = z.object({ idInfracao: z.string() }).safeParse(one).data
  return told !== undefined && told.idInfracao !== id
}

const unreadable = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'Efí lists the dispute in a form that cannot be read',
} as const

function leftOut(one: Infraction, period: Period): UnexplainedAnswer {
  const item = { operation: 'listMeds', reference: one.idInfracao, kind: 'unreadable_item' } as const
  return { ...item, status: 200, name: '', body: JSON.stringify(one), period }
}

const STATUS = {
  ABERTA: 'open',
  EM_DEFESA: 'analysing',
  ACEITA: 'agreed',
  REJEITADA: 'disagreed',
  CANCELADA_EFI: 'withdrawn',
} as const satisfies Record<Infraction['status'], MedFacts['status']>

/** Efí's words for DICT's SituationType. */
const SITUATIONS: Record<string, string> = {
  golpe: 'SCAM',
  'aquisição da conta': 'ACCOUNT_TAKEOVER',
  coerção: 'COERCION',
  'acesso fraudulento': 'FRAUDULENT_ACCESS',
}

type Disputed = {
  kind: MedFacts['kind']
  valor: number
  returns: (Returned | ReturnedToUs)[]
  at?: string | null
}

/** Nothing more comes back: it could not be carried out, nothing is left to return, or it is too late to. */
function isClosed({ valor, returns: all, at }: Disputed, now: number): boolean {
  if (all.some(({ status }) => status === 'EM_PROCESSAMENTO')) return false
  const given = all.filter(({ status }) => status === 'DEVOLVIDO').reduce((sum, one) => sum + one.valor, 0)
  const inVain = all.some(one => isOfMed(one) && one.status === 'NAO_REALIZADO')
  return inVain || given >= valor || (at != null && now - Date.parse(at) > RETURNABLE_MS)
}

/** Efí takes a text and nothing else, so the text says where the proofs are; those that do not fit are counted. */
function textOf({ analysis, attachments }: MedReply): string {
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
    if (text.length <= LONGEST_DEFENCE) return text
  }
  return analysis
}

const tooLong: ReplyOutcome = {
  ...{ kind: 'rejected', finality: 'final', code: 'reply_refused' },
  message: `Efí takes at most ${LONGEST_DEFENCE} characters of defence`,
}

function refusedWhileOpen(message: string): ReplyOutcome {
  return { kind: 'rejected', finality: 'final', code: 'reply_refused', message }
}
