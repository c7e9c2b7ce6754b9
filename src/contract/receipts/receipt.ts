import { z } from 'zod'
import type { Movement } from '../../db/entities/movement.ts'
import { computeReceiptEnd, shortenToInitials } from '../../domain/receipts/receipt.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import { type MovementCarrier, movementSchema, showMovement, showMovementRecord } from '../ledger/movement.ts'
import { day, instantSchema, reaisOutput, uuidSchema } from '../shared/fields.ts'

/** Receipts of settled money (SPEC §7): the receipt, its query as a PDF, and what anybody learns who checks one. */

export const RECEIPT_KINDS = ['PAYMENT', 'TRANSFER', 'REFUND'] as const
export type ReceiptKind = (typeof RECEIPT_KINDS)[number]

/** Most returns that a receipt lists, the newest: so that a PDF stays small. Their sum is always of all. */
export const MAX_LISTED_RETURNS = 50

/** Path of the public page that checks a receipt, below the service's public URL. */
export const RECEIPT_CHECK_PATH = '/receipts'

/** Path below which anybody can open a receipt that was shared. */
export const SHARED_RECEIPT_PATH = `${RECEIPT_CHECK_PATH}/shared`

const RECEIPT_LANGUAGES = ['pt-BR', 'en'] as const
export type ReceiptLanguage = (typeof RECEIPT_LANGUAGES)[number]

export const receiptPdfQuery = z.strictObject({
  language: z
    .enum(RECEIPT_LANGUAGES)
    .default('pt-BR')
    .meta({ description: 'Language of the document; by default Portuguese' }),
})

const mode = z.enum(['live', 'test']).meta({ description: '`test`: simulated, no money has moved' })
const returnedValue = reaisOutput.meta({ description: 'Sum of all that went back since' })

export const receiptSchema = z
  .object({
    kind: z.enum(RECEIPT_KINDS),
    uuid: uuidSchema.meta({ description: 'The charge, the transfer or the refund' }),
    official: z
      .boolean()
      .meta({ description: 'Whether the bank issues the PDF now; false: this service does' }),
    issuer: z
      .string()
      .nullable()
      .meta({ description: 'Name of the bank that issues the PDF; null: this service does' }),
    mode,
    pix: movementSchema,
    original_end_to_end: z
      .string()
      .optional()
      .meta({ description: 'Of a refund: end-to-end id of the PIX that it gives back' }),
    returned_value: returnedValue,
    returns: z
      .array(
        z
          .object({
            uuid: uuidSchema.meta({ description: 'The movement' }),
            value: reaisOutput,
            end_to_end: z.string(),
            settled_at: instantSchema.nullable(),
          })
          .meta({ id: 'ReceiptReturn' }),
      )
      .meta({ description: `What went back since, oldest first; the newest ${MAX_LISTED_RETURNS}` }),
    authentication: z
      .string()
      .meta({ description: 'Code by which anybody can check the receipt, without a token' }),
    check_url: z.string().meta({ description: 'Page that checks it' }),
    checkable_until: instantSchema,
    share_url: z.string().meta({
      description:
        'Address of the PDF for whoever has it, without a token; a new one each time the receipt is read',
    }),
    shared_until: instantSchema.meta({ description: 'When `share_url` ends: 24 hours after it was read' }),
  })
  .meta({ id: 'Receipt' })
export type ShownReceipt = z.output<typeof receiptSchema>

export const receiptCheckSchema = z
  .object({
    mode,
    value: reaisOutput,
    day: day.meta({ description: 'Day of the settlement in Brasília, `YYYY-MM-DD`' }),
    sender: z
      .string()
      .meta({ description: 'Initials; empty where the name is unknown', examples: ['M. S.'] }),
    receiver: z.string().meta({ description: 'Initials; empty where the name is unknown' }),
    returned_value: returnedValue,
  })
  .meta({ id: 'ReceiptCheck' })
export type ShownReceiptCheck = z.output<typeof receiptCheckSchema>

/** A settled movement with what went back of it, and whether its connection is simulated. */
export type SettledMovement = {
  movement: Movement & { settledAt: Date }
  returnedCents: number
  isSimulated: boolean
}

type ReceiptParts = SettledMovement & {
  kind: ReceiptKind
  uuid: string
  connection: MovementCarrier
  /** Of a refund, the movement that it gives back. */
  original?: Movement
  /** The newest ones, oldest first. */
  returns: Movement[]
  authentication: string
  /** Code of the address by which it is shared, and when that ends. */
  share: { code: string; until: Date }
  publicUrl: string
}

/** Presents the receipt of a settled movement, with documents masked as the movement shows them. */
export function showReceipt({
  kind,
  uuid,
  movement,
  connection,
  original,
  returns,
  authentication,
  share,
  publicUrl,
  ...settled
}: ReceiptParts): ShownReceipt {
  return {
    kind,
    uuid,
    official: false,
    issuer: null,
    mode: settled.isSimulated ? 'test' : 'live',
    pix: showMovement(movement, connection),
    ...(original && { original_end_to_end: showMovementRecord(original).end_to_end }),
    returned_value: settled.returnedCents,
    returns: returns.map(one => {
      const { uuid, value, end_to_end, settled_at } = showMovementRecord(one)
      return { uuid, value, end_to_end, settled_at }
    }),
    authentication,
    check_url: `${publicUrl}${RECEIPT_CHECK_PATH}/${authentication}`,
    checkable_until: computeReceiptEnd(movement.settledAt),
    share_url: `${publicUrl}${SHARED_RECEIPT_PATH}/${share.code}`,
    shared_until: share.until,
  }
}

/** Presents what a stranger learns of a receipt: that it is true, and nothing that it does not say itself. */
export function showReceiptCheck({
  movement,
  returnedCents,
  isSimulated,
}: SettledMovement): ShownReceiptCheck {
  return {
    mode: isSimulated ? 'test' : 'live',
    value: movement.valueCents,
    day: computeBrasiliaDay(movement.settledAt),
    sender: shortenToInitials(movement.sender?.name ?? ''),
    receiver: shortenToInitials(movement.receiver?.name ?? ''),
    returned_value: returnedCents,
  }
}
