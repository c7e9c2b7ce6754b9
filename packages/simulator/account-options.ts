import { z } from 'zod'

/** How a simulated provider serves an account where its publications leave a choice; the defaults follow them. */
export const accountOptionsBody = z.strictObject({
  /**
   * Efí: answers also have fields that the types of its official SDK lack, and the Central Bank's API or older pages of Efí
   * have.
   */
  unpublished_fields: z.boolean().default(false),
  /** Woovi: accounts of one company at a provider are listed together; the first one is the company's default account. */
  company: z.string().min(1).max(140).optional(),
  /** Woovi: also finds a dispute by its own id, and not only by the end-to-end id of its PIX. */
  finds_dispute_by_id: z.boolean().default(false),
  /** Woovi: shows status and time of a refund in its look-up. */
  shows_refund_status: z.boolean().default(false),
  /** Woovi; `refused`: as to an AppID without the scope, in words that no page has. */
  funds_recovery: z.enum(['served', 'absent', 'refused']).default('served'),
  /** Sicoob, Inter, Efí: number of the current account, with its digit; at Efí that of the receiver of an automatic charge. */
  account_number: z
    .string()
    .regex(/^[1-9]\d{0,19}$/)
    .default('13525622'),
  /** Sicoob, Inter: scopes that the application of the credentials lacks. */
  withheld_scopes: z.array(z.string()).default([]),
  /** Sicoob: balance and statement are inside "resultado", as users of its API publish them. */
  wraps_results: z.boolean().default(false),
  /** Sicoob: the text of a PIX in the statement also has its end-to-end id, as users of its API publish it. */
  end_to_end_in_statement: z.boolean().default(false),
  /** Inter: a payment above this amount waits for an approval; absent: none does. */
  approval_above: z.number().min(0).optional(),
  /** Inter: the notification of a received PIX is a bare list, as in the examples of its description, and not as in its schema. */
  bare_notifications: z.boolean().default(false),
  /** Inter: calls above the published paces are refused. */
  enforces_pace: z.boolean().default(true),
  /** Sicoob, Stark: look-ups of keys use DICT's bucket of the holder, and are refused where it is empty; no payment refills it. */
  enforces_dict_budget: z.boolean().default(false),
  /** Stark: `GET /v2/verified-transfer`, which its SDK lacks: there `GET /v2/transfer` finds verified transfers too. */
  verified_transfer_reads: z.enum(['served', 'absent']).default('served'),
  /** Stark: the payment of an invoice is a deposit as well, which is listed before the invoice shows its payment. */
  invoice_deposits: z.boolean().default(false),
  /** Stark: a deposit also has its end-to-end id, in lower case, as a tag, as in an event that a user has published. */
  end_to_end_tags: z.boolean().default(false),
  /** Stark: the look-up of a key masks the CPF of its owner. */
  masked_tax_ids: z.boolean().default(false),
})
type SimulatedAccountOptions = z.infer<typeof accountOptionsBody>

/** Reads how an account is served from its stored options. */
export function readAccountOptions({ options }: { options: string }): SimulatedAccountOptions {
  return JSON.parse(options) as SimulatedAccountOptions
}
