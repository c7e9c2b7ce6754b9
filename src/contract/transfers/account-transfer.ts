import { z } from 'zod'
import { isIspb, normalizeIspb } from '../../domain/pix/ispb.ts'
import { findBankByCode, findBankByIspb } from '../../domain/pix/listed-banks.ts'
import { BANK_ACCOUNT_TYPES, type Party } from '../../domain/pix/party.ts'
import { cpfOrCnpj } from '../charges/charge.ts'
import { addFieldIssue, caseInsensitiveEnum, partyName, RUN_DESPITE_OTHER_ISSUES } from '../shared/fields.ts'
import { transferOrderFields, transferValueFields } from './transfer.ts'

/** Transfers to an account at a bank, without a PIX key: the body of POST /transfers/bank-accounts. */

const ISPB_MESSAGE = 'must be 8 digits or capital letters'

const receiverFields = z.strictObject({
  name: partyName.meta({ description: 'Holder of the account', examples: ['Maria Silva'] }),
  document: cpfOrCnpj,
  ispb: z
    .string()
    .max(8, ISPB_MESSAGE)
    .transform(normalizeIspb)
    .refine(isIspb, ISPB_MESSAGE)
    .optional()
    .meta({ description: 'ISPB of the bank; this or `bank_code`', examples: ['18236120'] }),
  bank_code: z
    .string()
    .regex(/^[0-9]{3}$/, 'must be 3 digits')
    .refine(code => findBankByCode(code) !== undefined, 'is no COMPE code of a bank; use ispb')
    .optional()
    .meta({ description: 'COMPE code of the bank; this or `ispb`', examples: ['260'] }),
  agency: z
    .string()
    .regex(/^[0-9]{1,4}$/, 'must be 1 to 4 digits, without the check digit')
    .meta({ description: 'Branch, without its check digit', examples: ['0001'] }),
  account: z
    .string()
    .regex(/^[0-9]{1,20}$/, 'must be 1 to 20 digits, with the check digit and without a hyphen')
    .meta({
      description: 'Number of the account with its check digit, without a hyphen; a check digit X is 0',
      examples: ['1234567'],
    }),
  account_type: caseInsensitiveEnum(BANK_ACCOUNT_TYPES).meta({ examples: ['CHECKING'] }),
})

/** Who is paid at a bank, in a request. */
export const accountReceiver = receiverFields
  .superRefine(({ ispb, bank_code: code }, context) => {
    if (ispb === undefined && code === undefined) addFieldIssue(context, 'ispb', 'is required')
    const bank = typeof code === 'string' ? findBankByCode(code) : undefined
    if (typeof ispb === 'string' && bank && bank.ispb !== normalizeIspb(ispb))
      addFieldIssue(context, 'bank_code', 'is another bank than ispb')
  }, RUN_DESPITE_OTHER_ISSUES)
  .meta({ id: 'AccountReceiver', description: 'Who is paid, and the account' })

export const createAccountTransferBody = z.strictObject({
  ...transferValueFields,
  receiver: accountReceiver,
  ...transferOrderFields,
})
export type CreateAccountTransferBody = z.output<typeof createAccountTransferBody>

/** The type of a receiver's account in a request, for rules beyond the schema. */
export const receiverAccountType = receiverFields.shape.account_type

/** The receiver of an order to an account, as its list shows it: in the fields of the order. */
export const orderedReceiverSchema = z
  .object({
    name: z.string(),
    document: z.string(),
    ispb: z.string(),
    bank_code: z.string().optional(),
    agency: z.string(),
    account: z.string(),
    account_type: z.enum(BANK_ACCOUNT_TYPES),
  })
  .meta({ id: 'OrderedReceiver', description: 'Who is paid, and the account' })

/** Presents an account in the fields of the order that names it. */
export function showOrderedReceiver({
  name,
  document,
  bank,
  account_agency: agency,
  account_number: account,
  account_type,
}: Party): z.output<typeof orderedReceiverSchema> {
  return {
    name,
    document,
    ispb: bank.ispb,
    ...(bank.code !== '' && { bank_code: bank.code }),
    agency,
    account,
    account_type,
  }
}

/** Builds the account of a valid receiver, with what the list of banks says of its institution. */
export function toBankAccount({
  name,
  document,
  ispb,
  bank_code: code,
  agency,
  account,
  account_type,
}: CreateAccountTransferBody['receiver']): Party {
  const bank = ispb === undefined ? findBankByCode(code!) : findBankByIspb(ispb)
  return {
    name,
    document,
    account_number: account,
    account_agency: agency,
    bank: bank ?? { ispb: ispb!, code: '', name: '' },
    account_type,
  }
}
