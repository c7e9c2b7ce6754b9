import type Router from '@koa/router'
import { z } from 'zod'
import type { SimulatedAccounts } from '../accounts.ts'
import { centsFromText } from '../amount.ts'
import { presentRecurrencePayload } from '../provider-apis/bacen/recurrence-presenters.ts'
import { isOpen } from '../recurrences/recurrences.ts'
import type { SimulatedRecurring } from '../recurrences/recurring.ts'
import type { PayloadSigner } from './payload-document.ts'

/** What a payer sees of a recurrence before answering it. */
export type RecurrenceReading = {
  id: string
  receiver: string
  debtor: string
  contract: string
  subject: string | null
  /** As in the document: `MENSAL`. */
  frequency: string
  startsOn: string
  endsOn: string | null
  /** Amount of every charge; null: it varies. */
  cents: number | null
  minimumCents: number | null
}

/** What is read of the document at the location of a recurrence (pix-api, RecPayload). */
const recurrenceDocument = z.object({
  idRec: z.string(),
  vinculo: z.object({
    contrato: z.string(),
    objeto: z.string().optional(),
    devedor: z.object({ nome: z.string() }),
  }),
  calendario: z.object({
    dataInicial: z.string(),
    dataFinal: z.string().optional(),
    periodicidade: z.string(),
  }),
  valor: z.object({ valorRec: z.string().optional(), valorMinimoRecebedor: z.string().optional() }),
  recebedor: z.object({ nome: z.string() }),
})

export function readRecurrenceDocument(document: unknown): RecurrenceReading {
  const { idRec, vinculo, calendario, valor, recebedor } = recurrenceDocument.parse(document)
  return {
    id: idRec,
    receiver: recebedor.nome,
    debtor: vinculo.devedor.nome,
    contract: vinculo.contrato,
    subject: vinculo.objeto ?? null,
    frequency: calendario.periodicidade,
    startsOn: calendario.dataInicial,
    endsOn: calendario.dataFinal ?? null,
    cents: valor.valorRec === undefined ? null : centsFromText(valor.valorRec),
    minimumCents: valor.valorMinimoRecebedor === undefined ? null : centsFromText(valor.valorMinimoRecebedor),
  }
}

/** Serves `/qr/v2/rec/<token>` without authentication, as a JWS (pix-api, RecPayload); 400 where the recurrence has ended. */
export function addRecurrencePayloadRoutes(
  router: Router,
  {
    accounts,
    recurring: { locations, recurrences },
    signer,
  }: { accounts: SimulatedAccounts; recurring: SimulatedRecurring; signer: PayloadSigner },
): void {
  router.get('/qr/v2/rec/:token', ctx => {
    const location = locations.findByToken((ctx.params as { token: string }).token)
    const recurrence = location?.recurrenceId ? recurrences.find(location.recurrenceId) : undefined
    if (recurrence && isOpen(recurrence)) {
      ctx.type = 'application/jose'
      ctx.body = signer.sign(presentRecurrencePayload(accounts.find(recurrence.accountId)!, recurrence))
      return
    }
    ctx.status = recurrence ? 400 : 404
    ctx.type = 'application/problem+json'
    const name = recurrence ? 'RecPayloadOperacaoInvalida' : 'RecPayloadNaoEncontrado'
    ctx.body = JSON.stringify({
      type: `https://pix.bcb.gov.br/api/v2/error/${name}`,
      title: 'Recorrência não encontrada.',
      status: ctx.status,
      detail: recurrence ? 'the recurrence has ended' : 'unknown',
    })
  })
}
