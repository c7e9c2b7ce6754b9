import type { CallerToken } from '../../../api/authorization/authenticate.ts'
import { readTransferLookup } from '../../../api/operations/transfer-lookup.ts'
import { maskParty } from '../../../contract/ledger/movement.ts'
import { UNKNOWN_PARTY, uuidSchema } from '../../../contract/shared/fields.ts'
import type { Transfer } from '../../../db/entities/transfer.ts'
import { nameBank } from '../../../domain/pix/bank-name.ts'
import { detectDocumentKind } from '../../../domain/pix/document.ts'
import type { Party } from '../../../domain/pix/party.ts'
import { interpretTypedKey } from '../../../domain/pix-keys/key-format.ts'
import { matchDocument, type OwnerDocumentMatch } from '../../../domain/pix-keys/key-look-up.ts'
import type { Sealer } from '../../../security/sealing.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { ShownFact } from '../../http/shown-facts.ts'

/** Whom a transfer would pay, as its form and its review show it: the owner of the key by its look-up, or nobody. */

/** The owner of a key, masked. `documentMatch`: of the form's `named_document`, which was compared and is not enforced. */
export type ShownReceiver = {
  name: string
  document: string
  bank: string
  documentMatch: OwnerDocumentMatch
}

/**
 * Finds the receiver by the look-up that a form names; null where it names none, or one that a transfer may not name any more.
 */
export async function findShownReceiver(
  { em, form }: Pick<PageContext, 'em' | 'form'>,
  { token, sealer }: { token: CallerToken; sealer: Sealer },
): Promise<ShownReceiver | null> {
  const uuid = uuidSchema.safeParse(form.get('lookup_uuid')).data
  const lookup = await readTransferLookup({ em: em.fork(), token, sealer }, { lookup_uuid: uuid })
  const owner = lookup?.row.receiver
  if (!lookup || !owner) return null
  return {
    name: owner.name,
    document: owner.document,
    bank: nameBank(owner.bank),
    documentMatch: matchDocument(form.get('named_document'), lookup.answer),
  }
}

/** Lists what a form and its review show of a key and its owner; `receiver`: null where nobody was looked up. */
export function listKeyFacts(
  { t, f }: Pick<PageContext, 't' | 'f'>,
  typedKey: { kind: string | null; shown: string },
  receiver: ShownReceiver | null,
): ShownFact[] {
  const owner = receiver && [
    { name: 'field.receiver', value: receiver.name || '–' },
    { name: 'field.document', value: showDocument(receiver.document, f) || '–' },
    { name: 'field.bank', value: receiver.bank || '–' },
  ]
  const key = typedKey.kind === null ? typedKey.shown : `${typedKey.shown} (${t(`keyKind.${typedKey.kind}`)})`
  return [...(owner ?? []), { name: 'field.pix_key', value: key }]
}

/** Shows a document; nothing of one that its bank has masked as a whole. */
export function showDocument(document: string, f: PageContext['f']): string {
  return /[^*]/.test(document) ? f.document(document) : ''
}

/** Lists what a form and its review show of an account at a bank. */
export function listAccountFacts({ t, f }: Pick<PageContext, 't' | 'f'>, account: Party): ShownFact[] {
  const { code } = account.bank
  const bankName = nameBank(account.bank)
  return [
    { name: 'field.receiver', value: account.name },
    { name: 'field.document', value: f.document(account.document) },
    { name: 'field.bank', value: code ? `${code} · ${bankName}` : bankName },
    { name: 'field.account_agency', value: account.account_agency },
    {
      name: 'field.account_number',
      value: `${account.account_number} (${t(`accountType.${account.account_type}`)})`,
    },
  ]
}

/** Finds whom a transfer pays, masked, as far as it is known: as its provider reports it, else as its look-up or its code does. */
export function findTransferReceiver({
  receiver,
  lookup,
  paymentCode,
}: Pick<Transfer, 'receiver' | 'lookup' | 'paymentCode'>): Party {
  const document = paymentCode?.receiverDocument ?? ''
  return maskParty(receiver ?? { ...UNKNOWN_PARTY, document, ...lookup?.owner })
}

/** Lists what the forms of a transfer show of its receiver. */
export function listReceiverFacts(
  visit: Pick<PageContext, 't' | 'f'>,
  transfer: Pick<Transfer, 'pixKey' | 'bankAccount' | 'receiver' | 'lookup' | 'paymentCode'>,
): ShownFact[] {
  const { bankAccount, pixKey } = transfer
  if (bankAccount) return listAccountFacts(visit, bankAccount)
  const { name, document } = findTransferReceiver(transfer)
  const shownDocument = showDocument(document, visit.f)
  return [
    ...(name ? [{ name: 'field.receiver', value: name }] : []),
    ...(shownDocument ? [{ name: 'field.document', value: shownDocument }] : []),
    { name: 'field.pix_key', value: showKey(pixKey, visit) },
  ]
}

/** Lists reasons to look twice at a receiver: nobody was looked up, or the document that was named is not proved. */
export function listReceiverWarnings(
  { form, t, f }: Pick<PageContext, 'form' | 't' | 'f'>,
  receiver: ShownReceiver | null,
): string[] {
  if (!receiver) return [t(form.get('unchecked') ? 'transfer.notLookedUp' : 'transfer.cannotLookUp')]
  const namedDocument = form.get('named_document')
  if (!namedDocument || receiver.documentMatch === 'MATCH') return []
  const gaps = { document: f.document(namedDocument), shown: f.document(receiver.document) || '–' }
  return [t(receiver.documentMatch === 'MISMATCH' ? 'transfer.otherHolder' : 'transfer.partialHolder', gaps)]
}

/** Names the kind of a key, and formats it as people read it; kind null where the text is no key. */
export function describeKey(text: string, { f }: Pick<PageContext, 'f'>) {
  const typedKey = interpretTypedKey(text)
  if (!typedKey) return { kind: null, shown: text }
  const { key, type } = typedKey
  if (type === 'DOCUMENT') return { kind: detectDocumentKind(key) ?? 'CPF', shown: f.document(key) }
  return {
    kind: type,
    shown: type === 'PHONE' ? key.replace(/^\+55(..)(.{5})(.{4})$/, '+55 ($1) $2-$3') : key,
  }
}

/** Formats a stored key as people read it; empty where a transfer has none. */
export function showKey(key: string | null | undefined, visit: Pick<PageContext, 'f'>): string {
  return key ? describeKey(key, visit).shown : ''
}
