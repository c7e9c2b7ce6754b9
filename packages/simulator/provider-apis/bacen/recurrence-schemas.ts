import { z } from 'zod'
import { bacenAmount, bacenCnpj, bacenCpf } from './schemas.ts'

// Request schemas of recurrences and automatic charges (pix-api 2.9.0: RecSolicitada, RecRevisada, SolicRecSolicitada, CobRSolicitada).

const day = z.iso.date()
const name = z.string().min(1).max(140)
const identifier = z.string().min(1).max(35)
const txid = z.string().regex(/^[a-zA-Z0-9]{26,35}$/)
const recurrenceId = z.string().regex(/^[a-zA-Z0-9]{29}$/)
const ispb = z.string().regex(/^[0-9A-Z]{8}$/)
const positiveAmount = bacenAmount.refine(cents => cents > 0, 'deve ser maior que zero')
const debtor = z.union([
  z.strictObject({ cpf: bacenCpf, nome: name }),
  z.strictObject({ cnpj: bacenCnpj, nome: name }),
])

/** Builds the bodies of a bank; `isStrict`: unknown fields are refused, in every object. */
export function buildBacenRecurrenceBodies({ isStrict }: { isStrict: boolean }) {
  const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
    (isStrict ? z.strictObject(shape) : z.object(shape)) as z.ZodObject<Shape>
  const activation = object({ dadosJornada: object({ txid }).optional() }).optional()
  const recipient = { conta: z.string().min(1).max(20), ispbParticipante: ispb }
  const branch = z.string().max(4)
  return {
    recurrence: object({
      vinculo: object({ contrato: identifier, devedor: debtor, objeto: identifier.optional() }),
      calendario: object({
        dataInicial: day,
        dataFinal: day.optional(),
        periodicidade: z.enum(['SEMANAL', 'MENSAL', 'TRIMESTRAL', 'SEMESTRAL', 'ANUAL']),
      }),
      valor: isStrict
        ? z.union([
            z.strictObject({ valorRec: positiveAmount }),
            z.strictObject({ valorMinimoRecebedor: positiveAmount }),
          ])
        : z
            .object({
              valorRec: positiveAmount.optional(),
              valorMinimoRecebedor: positiveAmount.optional(),
            })
            .optional(),
      politicaRetentativa: z.enum(['NAO_PERMITE', 'PERMITE_3R_7D']),
      loc: z.number().int().optional(),
      ativacao: activation,
      ...(isStrict ? {} : { recebedor: object({ convenio: z.string().max(60).optional() }).optional() }),
    }) as unknown as z.ZodType<BacenRecurrenceOrder>,
    recurrenceChange: object({
      status: z.literal('CANCELADA').optional(),
      vinculo: object({ devedor: object({ nome: name }) }).optional(),
      calendario: object({ dataInicial: day }).optional(),
      loc: z.number().int().optional(),
      ativacao: activation,
    }),
    request: object({
      idRec: recurrenceId,
      calendario: object({ dataExpiracaoSolicitacao: z.iso.datetime({ offset: true }) }),
      destinatario: isStrict
        ? z.union([
            z.strictObject({ ...recipient, agencia: branch, cpf: bacenCpf }),
            z.strictObject({ ...recipient, agencia: branch, cnpj: bacenCnpj }),
          ])
        : z.union([
            z.object({ ...recipient, agencia: branch.optional(), cpf: bacenCpf }),
            z.object({ ...recipient, agencia: branch.optional(), cnpj: bacenCnpj }),
          ]),
    }) as unknown as z.ZodType<BacenConsentOrder>,
    requestChange: object({ status: z.literal('CANCELADA') }),
    charge: object({
      idRec: recurrenceId,
      infoAdicional: z.string().max(140).optional(),
      calendario: object({ dataDeVencimento: day }),
      valor: object({ original: positiveAmount }),
      ajusteDiaUtil: z.boolean(),
      recebedor: object({
        conta: z.string().min(1).max(20),
        tipoConta: z.enum(['CORRENTE', 'POUPANCA', 'PAGAMENTO']),
        agencia: isStrict ? branch : branch.optional(),
      }),
      devedor: object({
        email: z.string().optional(),
        logradouro: z.string().max(200).optional(),
        cidade: z.string().max(200).optional(),
        uf: z.string().max(2).optional(),
        cep: z.string().max(8).optional(),
      }).optional(),
    }) as unknown as z.ZodType<BacenAutomaticChargeOrder>,
    chargeChange: object({ status: z.literal('CANCELADA') }),
  }
}
export type BacenRecurrenceBodies = ReturnType<typeof buildBacenRecurrenceBodies>

/** Name of a frequency in the Central Bank's API. */
export type BacenFrequency = 'SEMANAL' | 'MENSAL' | 'TRIMESTRAL' | 'SEMESTRAL' | 'ANUAL'
type Debtor = { cpf: string; nome: string } | { cnpj: string; nome: string }

type BacenRecurrenceOrder = {
  vinculo: { contrato: string; devedor: Debtor; objeto?: string }
  calendario: { dataInicial: string; dataFinal?: string; periodicidade: BacenFrequency }
  valor?: { valorRec?: number; valorMinimoRecebedor?: number }
  politicaRetentativa: 'NAO_PERMITE' | 'PERMITE_3R_7D'
  recebedor?: { convenio?: string }
  loc?: number
  ativacao?: { dadosJornada?: { txid: string } }
}
type BacenConsentOrder = {
  idRec: string
  calendario: { dataExpiracaoSolicitacao: string }
  destinatario: { conta: string; ispbParticipante: string; agencia?: string } & (
    | { cpf: string; cnpj?: undefined }
    | { cnpj: string; cpf?: undefined }
  )
}
type BacenAutomaticChargeOrder = {
  idRec: string
  infoAdicional?: string
  calendario: { dataDeVencimento: string }
  valor: { original: number }
  ajusteDiaUtil: boolean
  recebedor: { conta: string; tipoConta: string; agencia?: string }
  devedor?: object
}
