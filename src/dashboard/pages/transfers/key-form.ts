import type { CallerToken } from '../../../api/authorization/authenticate.ts'
import {
  createTransfer,
  quoteTransfer,
  requireVisibleTransfer,
  TRANSFERS_PATH,
} from '../../../api/operations/transfers.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { type CreateTransferBody, createTransferBody } from '../../../contract/transfers/transfer.ts'
import { Account } from '../../../db/entities/account.ts'
import { interpretTypedKey } from '../../../domain/pix-keys/key-format.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { Sealer } from '../../../security/sealing.ts'
import { parseFormFields, readText } from '../../http/form.ts'
import { createPage } from '../../http/page.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { formatAmountText } from '../charges/due-fields.ts'
import { TRANSFER_FORM_PATH } from './destinations.ts'
import { askForReceiver, describePaidReceiver, renderKeyStep } from './key-step.ts'
import {
  readOrderFields,
  registerOrderForm,
  type ShownDestination,
  type TransferVisit,
} from './order-form.ts'
import { describeKey, findShownReceiver, listKeyFacts, listReceiverWarnings } from './receiver.ts'

/**
 * Registers the form of a transfer to a key: the key, whose owner is looked up, and what follows. And the recognition of the key while
 * it is typed.
 */
export function registerKeyForm(router: DashboardRouter): void {
  const { post, dashboard } = router
  const { sealer } = dashboard
  const renderForm = registerOrderForm<CreateTransferBody>(router, {
    name: 'key',
    apiPath: TRANSFERS_PATH,
    carriedFields: ['pix_key', 'lookup_uuid', 'named_document', 'unchecked', 'document'],
    canSchedule: true,
    parseOrder: parseKeyOrder,
    quote: (_, { body, ...caller }) => quoteTransfer({ ...caller, sealer }, body),
    create: (_, request) => createTransfer(dashboard, request),
    describe: (visit, token) => describeKeyDestination(visit, { token, sealer }),
    listOrderFacts: ({ f }, { document, lookup_uuid }) =>
      document && !lookup_uuid ? [{ name: 'transfer.holder', value: f.document(document) }] : [],
    listConfirmedFields: ({ pix_key }) => ({ pix_key }),
    renderFirstStep: visit => renderKeyStep(visit),
    fillIn: copyFailedTransfer,
  })

  post('transfers.write', `${TRANSFER_FORM_PATH}/receiver`, {
    async handle(visit) {
      const question = await askForReceiver(dashboard, visit)
      if (question) return question
      if (!visit.form.has('value')) visit.form.set('value', '')
      return renderForm(visit)
    },
    renderForm: visit => renderKeyStep(visit),
  })

  post('transfers.write', `${TRANSFER_FORM_PATH}/key`, {
    handle: async visit =>
      createPage('key-kind', {
        typedKey: describeKey(visit.form.get('pix_key') ?? '', visit),
        paid: await describePaidReceiver(visit),
      }),
    renderForm: visit => renderKeyStep(visit),
  })
}

/** Fills in what a failed transfer has ordered, except its key: the query names it. */
async function copyFailedTransfer({ em, token, query, form, language }: TransferVisit): Promise<void> {
  const uuid = uuidSchema.safeParse(query.instead_of).data
  if (uuid === undefined) return
  const { state, valueCents, externalRef } = await requireVisibleTransfer(em.fork(), token, uuid)
  if (state !== 'failed') return
  form.set('copied', 'true')
  form.set('value', formatAmountText(valueCents, language))
  const { uniqueExternalRef } = await em.fork().findOneOrFail(Account, token.accountUuid)
  // The failed transfer keeps its reference where each is used once.
  if (externalRef != null && !uniqueExternalRef) form.set('external_ref', externalRef)
}

/** Reads the fields of the form as the body of POST /transfers. */
function parseKeyOrder(visit: TransferVisit): CreateTransferBody {
  const { form } = visit
  const errors: FieldErrors = {}
  const key = readText(form, 'pix_key')
  const fields = {
    ...readOrderFields(visit, errors),
    pix_key: key && (interpretTypedKey(key)?.key ?? key),
    lookup_uuid: readText(form, 'lookup_uuid'),
    document: readText(form, 'document')?.replaceAll(/[\s.\-/]/g, ''),
  }
  return parseFormFields(createTransferBody, fields, errors)
}

/** Describes the key of the form and its owner; null where there is no key, or its look-up is too old to be named. */
async function describeKeyDestination(
  visit: TransferVisit,
  caller: { token: CallerToken; sealer: Sealer },
): Promise<ShownDestination | null> {
  const { form } = visit
  const typedKey = interpretTypedKey(form.get('pix_key') ?? '')
  if (!typedKey) return null
  const receiver = await findShownReceiver(visit, caller)
  if (!receiver && form.get('lookup_uuid')) return null
  const shownKey = describeKey(typedKey.key, visit)
  return {
    destination: { kind: 'key', pixKey: typedKey.key, document: readText(form, 'document') ?? null },
    name: receiver?.name || shownKey.shown,
    facts: listKeyFacts(visit, shownKey, receiver),
    warnings: listReceiverWarnings(visit, receiver),
    takesDocument: !receiver,
  }
}
