import { disputeTypeOf } from '../../domain/med.ts'
import type { MedFacts, MedName, MedReply, ReplyOutcome } from '../../domain/med-facts.ts'
import type { NoAnswer } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { type List, pagesOf } from './pages.ts'
import { type Infraction, infractions, isOfMed, newDefence, type Returned, received, sent } from './shapes.ts'

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

  async function listMeds(from: string, to: string) {
    const listed = await everyPage(infractionList, { inicio: from, fim: to })
    if (listed.kind === 'no_answer') return listed
    const meds: MedFacts[] = []
    for (const one of listed.items) {
      const facts = await factsOf(one)
      if (facts.kind === 'no_answer') return facts
      meds.push(facts)
    }
    return { kind: 'found' as const, meds }
  }

  async function findMed({ id }: MedName) {
    const inicio = new Date(now() - LOOK_BACK_MS).toISOString()
    const fim = new Date(now() + DAY_MS).toISOString()
    const listed = await everyPage(infractionList, { inicio, fim })
    if (listed.kind === 'no_answer') return listed
    const found = listed.items.find(one => one.idInfracao === id)
    if (!found) return { kind: 'not_found' as const }
    const facts = await factsOf(found)
    return facts.kind === 'no_answer' ? facts : { kind: 'found' as const, med: facts }
  }

  /** A PIX that is neither received nor sent here was received before this connection could tell. */
  async function factsOf(one: Infraction): Promise<MedFacts | NoAnswer> {
    const endToEnd = encodeURIComponent(one.endToEndId)
    const came = await client.lookUp({ method: 'GET', path: `/v2/pix/${endToEnd}` }, json => {
      const pix = received.safeParse(json).data
      return pix && { pix }
    })
    if (came.kind === 'no_answer') return came
    if (came.kind === 'found') return medOf(one, { kind: 'RECEIVED_MED', ...came.pix, at: came.pix.horario })
    const left = await client.lookUp({ method: 'GET', path: `/v2/gn/pix/enviados/${endToEnd}` }, json => {
      const pix = sent.safeParse(json).data
      return pix && { pix }
    })
    if (left.kind === 'no_answer') return left
    if (left.kind === 'not_found') return medOf(one, { kind: 'RECEIVED_MED', valor: one.valor })
    const { liquidacao, solicitacao } = left.pix.horario
    return medOf(one, { kind: 'REQUESTED_MED', ...left.pix, at: liquidacao ?? solicitacao })
  }

  /** Taken once, and before the deadline. A defence that is there already is this one, or somebody's in Efí's own app. */
  async function replyMed(reply: MedReply): Promise<ReplyOutcome> {
    const path = `/v2/gn/infracoes/${encodeURIComponent(reply.id)}/defesa`
    const json = newDefence.parse({
      analise: reply.accept ? 'aceito' : 'rejeitado',
      justificativa: textOf(reply),
    })
    const outcome = await client.send({ method: 'POST', path, json, fresh: true }, () => ({}))
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
      returns: (pix.devolucoes ?? []).filter(isOfMed).flatMap(returnOf),
      closed: status === 'agreed' && isClosed(pix, now()),
    }
  }
}

/** PIX.md §3.1: a PIX is contested within 80 days, analysed in seven, and whatever is returned starts within 90. */
const DAY_MS = 86_400_000
const LOOK_BACK_MS = 180 * DAY_MS
const RETURNABLE_MS = 91 * DAY_MS

const infractionList: List<Infraction> = {
  path: '/v2/gn/infracoes',
  pageIn: json => {
    const page = infractions.safeParse(json).data
    return page && { items: page.infracoes, pages: page.parametros.paginacao.quantidadeDePaginas }
  },
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
  devolucoes?: Returned[] | null
  at?: string | null
}

function returnOf({ status, rtrId, id, valor, horario }: Returned): MedFacts['returns'] {
  const at = horario.liquidacao ?? horario.solicitacao
  const known = id || rtrId
  if (status !== 'DEVOLVIDO' || !at || !known) return []
  return [{ id: known, endToEnd: rtrId || null, cents: valor, at }]
}

/** Nothing more comes back: it could not be carried out, nothing is left to return, or it is too late to. */
function isClosed({ valor, devolucoes, at }: Disputed, now: number): boolean {
  const all = devolucoes ?? []
  if (all.some(({ status }) => status === 'EM_PROCESSAMENTO')) return false
  const given = all.filter(({ status }) => status === 'DEVOLVIDO').reduce((sum, one) => sum + one.valor, 0)
  const inVain = all.some(one => isOfMed(one) && one.status === 'NAO_REALIZADO')
  return inVain || given >= valor || (at != null && now - Date.parse(at) > RETURNABLE_MS)
}

/** Efí takes a text and nothing else, so the text says where the proofs are. */
function textOf({ analysis, attachments }: MedReply): string {
  if (attachments.length === 0) return analysis
  return [analysis, '', 'Anexos:', ...attachments.map(({ name, url }) => `${name}: ${url}`)].join('\n')
}

function refusedWhileOpen(message: string): ReplyOutcome {
  return { kind: 'rejected', finality: 'final', code: 'reply_refused', message }
}
