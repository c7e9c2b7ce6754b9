import { z } from 'zod'
import { bacenAmount, bacenCnpj, bacenCpf, bacenKey } from './schemas.ts'

// Request schemas of charges with a due date (pix-api 2.9.0: CobVSolicitada, CobVRevisada).

const day = z.iso.date()
const calendar = z.object({
  dataDeVencimento: day,
  validadeAposVencimento: z.number().int().min(0).max(2_147_483_647).default(30),
})
const name = z.string().max(200)
const address = {
  email: z.string().optional(),
  logradouro: z.string().max(200).optional(),
  cidade: z.string().max(200).optional(),
  uf: z.string().max(2).optional(),
  cep: z.string().max(8).optional(),
}
const debtor = z.union([
  z.strictObject({ cpf: bacenCpf, nome: name, ...address }),
  z.strictObject({ cnpj: bacenCnpj, nome: name, ...address }),
])
const share = (modalities: number) =>
  z.object({ modalidade: z.number().int().min(1).max(modalities), valorPerc: bacenAmount })
const discount = z.object({
  modalidade: z.number().int().min(1).max(6),
  valorPerc: bacenAmount.optional(),
  descontoDataFixa: z
    .array(z.object({ data: day, valorPerc: bacenAmount }))
    .max(3)
    .optional(),
})
const members = {
  multa: share(2).optional(),
  juros: share(8).optional(),
  abatimento: share(2).optional(),
  desconto: discount.optional(),
}
const details = {
  solicitacaoPagador: z.string().max(140).optional(),
  infoAdicionais: z
    .array(z.object({ nome: z.string().max(50), valor: z.string().max(200) }))
    .max(50)
    .optional(),
}
const location = z.object({ id: z.number().int() }).optional()

export const bacenDueChargeBody = z.object({
  calendario: calendar,
  devedor: debtor,
  valor: z.object({ original: bacenAmount, ...members }),
  chave: bacenKey,
  loc: location,
  ...details,
})
export const bacenDueChargeChangeBody = z.object({
  status: z.literal('REMOVIDA_PELO_USUARIO_RECEBEDOR').optional(),
  calendario: calendar.optional(),
  devedor: debtor.optional(),
  valor: z.object({ original: bacenAmount.optional(), ...members }).optional(),
  loc: location,
  ...details,
})

export type BacenDueValue = Omit<z.infer<typeof bacenDueChargeBody>['valor'], 'original'>
/** Terms of a charge with a due date, as the simulator stores them: amounts and percentages in hundredths. */
export type BacenDueTerms = { calendario: z.infer<typeof calendar> } & BacenDueValue
