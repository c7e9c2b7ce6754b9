import { z } from 'zod'

/** Institutions that a transfer to an account may name (SPEC §4). */

export const banksQuery = z.strictObject({
  search: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .optional()
    .meta({
      description: 'Part of the name, the COMPE code, or the beginning of the ISPB',
      examples: ['nu pagamentos'],
    }),
})

export const listedBankSchema = z
  .object({
    ispb: z.string().meta({ examples: ['18236120'] }),
    code: z.string().meta({ description: 'COMPE code', examples: ['260'] }),
    name: z.string().meta({ examples: ['NU PAGAMENTOS S.A. - INSTITUIÇÃO DE PAGAMENTO'] }),
  })
  .meta({ id: 'ListedBank' })
