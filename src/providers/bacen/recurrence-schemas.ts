import { z } from 'zod'
import { optionalField, optionalText } from '../adapter/fields.ts'
import { amountSchema, centsSchema, holderSchema } from './schemas.ts'

// Schemas of Pix Automático (pix-api 2.9.0: RecCompleta, SolicRecCompleta, CobRCompleta), lenient and strict as those of charges.

const endingSchema = optionalField(
  z.object({
    rejeicao: optionalField(z.object({ codigo: optionalText })),
    cancelamento: optionalField(z.object({ codigo: optionalText, solicitante: optionalText })),
  }),
)
export type BacenEnding = z.infer<typeof endingSchema>

/** The id of a recurrence (RecId). */
const railIdSchema = z.string().regex(/^[a-zA-Z0-9]{29}$/)
const frequencySchema = z.enum(['SEMANAL', 'MENSAL', 'TRIMESTRAL', 'SEMESTRAL', 'ANUAL'])

/** A recurrence. Efí's types have no `solicitacao`, and its list no `dadosQR`. */
export const bacenRecSchema = z.object({
  idRec: railIdSchema,
  status: z.enum(['CRIADA', 'APROVADA', 'REJEITADA', 'EXPIRADA', 'CANCELADA']),
  vinculo: z.object({ contrato: z.string() }),
  calendario: optionalField(z.object({ dataInicial: optionalText, periodicidade: optionalText })),
  valor: optionalField(z.object({ valorRec: optionalField(centsSchema) })),
  encerramento: endingSchema,
  solicitacao: optionalField(z.array(z.object({ status: optionalText }))),
  dadosQR: optionalField(z.object({ jornada: optionalText, pixCopiaECola: optionalText })),
})
export type BacenRec = z.infer<typeof bacenRecSchema>

/** What tells that a row of the list of recurrences, which is unreadable otherwise, is another's. */
export const bacenContractSchema = z.object({ vinculo: z.object({ contrato: z.string() }) })

/** The location of the code of a recurrence. */
export const bacenRecLocationSchema = z.object({ id: z.int().positive() })

/** A request for consent. */
export const bacenConsentRequestSchema = z.object({ idRec: railIdSchema })

/** A debit of a recurrence. */
export const bacenCobrSchema = z.object({
  idRec: z.string(),
  txid: z.string(),
  status: z.enum(['CRIADA', 'ATIVA', 'CONCLUIDA', 'EXPIRADA', 'REJEITADA', 'CANCELADA']),
  calendario: z.object({ dataDeVencimento: z.iso.date() }),
  valor: z.object({ original: centsSchema }),
  recebedor: optionalField(holderSchema),
  encerramento: endingSchema,
  /** Parsed item by item (`bacenTrySchema`). */
  tentativas: z.unknown().optional(),
  /** Parsed item by item (`bacenReceivedPixSchema`). */
  pix: z.unknown().optional(),
})
export type BacenCobr = z.infer<typeof bacenCobrSchema>

/** A try of a debit. Efí's types have no `rejeicao`. */
export const bacenTrySchema = z.object({
  dataLiquidacao: z.iso.date(),
  tipo: z.enum(['AGND', 'NTAG', 'RIFL']),
  status: z.enum(['SOLICITADA', 'AGENDADA', 'PAGA', 'CANCELADA', 'REJEITADA', 'EXPIRADA']),
  endToEndId: optionalText,
  rejeicao: optionalField(z.object({ codigo: optionalText })),
})
export type BacenTry = z.infer<typeof bacenTrySchema>

const txidSchema = z.string().regex(/^[a-zA-Z0-9]{26,35}$/)
const nameSchema = z.string().min(1).max(140)
const cpfSchema = z.string().regex(/^\d{11}$/)
const cnpjSchema = z.string().regex(/^\d{14}$/)

export const bacenRecRequestSchema = z.strictObject({
  vinculo: z.strictObject({
    contrato: z.string().min(1).max(35),
    devedor: z.union([
      z.strictObject({ cpf: cpfSchema, nome: nameSchema }),
      z.strictObject({ cnpj: cnpjSchema, nome: nameSchema }),
    ]),
    objeto: z.string().min(1).max(35).optional(),
  }),
  calendario: z.strictObject({
    dataInicial: z.iso.date(),
    dataFinal: z.iso.date().optional(),
    periodicidade: frequencySchema,
  }),
  valor: z.union([
    z.strictObject({ valorRec: amountSchema }),
    z.strictObject({ valorMinimoRecebedor: amountSchema }),
  ]),
  politicaRetentativa: z.enum(['NAO_PERMITE', 'PERMITE_3R_7D']),
  loc: z.int().positive().optional(),
  ativacao: z.strictObject({ dadosJornada: z.strictObject({ txid: txidSchema }) }).optional(),
})
export type BacenRecFrequency = z.infer<typeof frequencySchema>

const recipientFields = {
  agencia: z.string().min(1).max(4).optional(),
  conta: z.string().min(1).max(20),
  ispbParticipante: z.string().regex(/^[0-9A-Z]{8}$/),
}
export const bacenConsentOrderSchema = z.strictObject({
  idRec: railIdSchema,
  calendario: z.strictObject({ dataExpiracaoSolicitacao: z.iso.datetime() }),
  destinatario: z.union([
    z.strictObject({ ...recipientFields, cpf: cpfSchema }),
    z.strictObject({ ...recipientFields, cnpj: cnpjSchema }),
  ]),
})

/** The account to which the payers of debits pay (DadosBancariosRecebedor). */
const receiverSchema = z.strictObject({
  agencia: z.string().min(1).max(4),
  conta: z.string().min(1).max(20),
  tipoConta: z.enum(['CORRENTE', 'POUPANCA', 'PAGAMENTO']),
})
export type BacenDebitReceiver = z.infer<typeof receiverSchema>

export const bacenCobrRequestSchema = z.strictObject({
  idRec: railIdSchema,
  infoAdicional: z.string().max(140).optional(),
  calendario: z.strictObject({ dataDeVencimento: z.iso.date() }),
  valor: z.strictObject({ original: amountSchema }),
  ajusteDiaUtil: z.boolean(),
  recebedor: receiverSchema,
})

/** Body of the request that cancels a recurrence or a debit. */
export const BACEN_CANCELLATION_REQUEST = { status: 'CANCELADA' }
