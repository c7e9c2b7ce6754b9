import { referenceOf } from '../../domain/pix/identifiers.ts'
import { ERASED_TEXT, eraseTexts, listDocumentForms } from '../../domain/privacy/erasure.ts'
import type { EntityManager } from '../client/orm.ts'
import { IS_EXPLAINED_SQL } from '../retention.ts'
import { selectValues } from '../select-values.ts'
import { formatTextArray, joinConditions } from '../sql-conditions.ts'

/** Personal data of payers and receivers, by the CPF or CNPJ of the person: found, exported, erased (docs/retention.md). */

/** Whose data: of one account's operations, or of all. `document`: without punctuation, upper case. */
export type Person = {
  document: string
  accountUuid: string | null
  /** Operations whose money moved at this moment or later are left out; absent: none are. */
  before?: Date
}

/** What takes the place of a person: of the document, and of a sealed column. */
type PersonReplacement = { pseudonym: string; sealedNothing: string }

const NAME = `'${ERASED_TEXT}'`
/** They stand in `erased` for the values of `PersonReplacement`. */
const [PSEUDONYM, SEALED_NOTHING] = [':pseudonym', ':sealedNothing']

const partyOf = (column: string, more = '') =>
  `jsonb_strip_nulls(jsonb_build_object('name', ${NAME}, 'document', ${PSEUDONYM}, 'bank', ${column} -> 'bank',
    'account_type', ${column} -> 'account_type'${more}))`
/** A provider's refusal may quote the person; its code says what it was. */
const FAILURE = `failure || jsonb_build_object('message', failure ->> 'code')`
const OTHER_PARTY = "(case movement_type when 'IN' then sender else receiver end)"

/** SQL of the moment at which the money of an operation moved; null where none has. */
const MONEY_MOVED_AT = {
  movement: 'coalesce(settled_at, created_at)',
  charge: 'paid_at',
  transfer: 'settled_at',
  recurrence: '(select max(c.paid_at) from charge c where c.recurrence_uuid = recurrence.uuid)',
}

type PersonColumns = {
  table: keyof typeof MONEY_MOVED_AT
  /** SQL of the documents of whom these columns are; a row is of the person whose document one of them is. */
  documents: string[]
  /** SQL of the texts that name the person, which events and answers repeat. */
  texts: string[]
  /** SQL of what takes the place of each column. */
  erased: Record<string, string>
}

/** Columns with a payer or receiver. Those of the account itself, on its own side of a PIX, are the account's for as long as it exists. */
const PERSON_COLUMNS: readonly PersonColumns[] = [
  {
    table: 'charge',
    documents: ['debtor_document'],
    texts: ['debtor_name', 'debtor_email', 'message'],
    erased: {
      debtor_name: NAME,
      debtor_document: PSEUDONYM,
      debtor_email: 'null',
      debtor_address: 'null',
      message: 'null',
      additional_info: `'[]'`,
      issued_as: `jsonb_set(issued_as, '{message}', 'null')`,
      failure: FAILURE,
    },
  },
  {
    table: 'charge',
    documents: ['beneficiary_document'],
    texts: ['beneficiary_name'],
    erased: { beneficiary_name: NAME, beneficiary_document: PSEUDONYM },
  },
  {
    table: 'recurrence',
    documents: ['debtor_document'],
    texts: ['debtor_name'],
    erased: {
      debtor_name: NAME,
      debtor_document: PSEUDONYM,
      debtor_address: 'null',
      sealed_payer_account: `case when sealed_payer_account is not null then ${SEALED_NOTHING} end`,
      failure: FAILURE,
    },
  },
  {
    table: 'transfer',
    documents: [
      'document',
      'pix_key',
      "receiver ->> 'document'",
      "lookup -> 'owner' ->> 'document'",
      "payment_code ->> 'receiverDocument'",
    ],
    texts: [
      'pix_key',
      "receiver ->> 'name'",
      "bank_account ->> 'name'",
      "lookup -> 'owner' ->> 'name'",
      "payment_code ->> 'payload'",
    ],
    erased: {
      pix_key: `case when pix_key is not null then ${PSEUDONYM} end`,
      document: `case when document is not null then ${PSEUDONYM} end`,
      bank_account: `case when bank_account is not null then
        ${partyOf('bank_account', `, 'account_number', ${PSEUDONYM}, 'account_agency', '0'`)} end`,
      payment_code: `payment_code || jsonb_build_object('payload', ${NAME}, 'receiverDocument', '')`,
      lookup: `jsonb_set(lookup, '{owner}', jsonb_build_object('name', ${NAME}, 'document', ${PSEUDONYM}))`,
      receiver: `case when receiver is not null then ${partyOf('receiver')} end`,
      failure: FAILURE,
    },
  },
  {
    table: 'transfer',
    documents: ['beneficiary_document'],
    texts: ['beneficiary_name'],
    erased: { beneficiary_name: NAME, beneficiary_document: PSEUDONYM },
  },
  {
    table: 'movement',
    documents: [`${OTHER_PARTY} ->> 'document'`, "case movement_type when 'OUT' then pix_key end"],
    texts: [`${OTHER_PARTY} ->> 'name'`, "case movement_type when 'OUT' then pix_key end"],
    erased: {
      sender: `case when movement_type = 'IN' and sender is not null then ${partyOf('sender')} else sender end`,
      receiver: `case when movement_type = 'OUT' and receiver is not null then ${partyOf('receiver')} else receiver end`,
      pix_key: `case when movement_type = 'OUT' and pix_key is not null then ${PSEUDONYM} else pix_key end`,
    },
  },
]

const isOfPerson = ({ documents }: Pick<PersonColumns, 'documents'>) =>
  `? in (${documents.map(sql => `upper(translate(${sql}, './-', ''))`).join(', ')})`

/** Rows about a person: those that name the person, and those that belong to them. */
export type PersonRows = Record<PersonColumns['table'] | 'refund' | 'dispute', string[]>

/**
 * Finds the rows about a person. It reads whole tables, because no index has every document: those that a provider reports of another
 * person's key are not to be found by a search.
 */
export async function findPersonRows(em: EntityManager, person: Person): Promise<PersonRows> {
  const find = async (table: PersonColumns['table']) => {
    const documents = PERSON_COLUMNS.filter(one => one.table === table).flatMap(one => one.documents)
    const { sql, values } = joinConditions(
      [isOfPerson({ documents }), person.document],
      person.accountUuid !== null && ['account_uuid = ?', person.accountUuid],
      person.before !== undefined && [`coalesce(${MONEY_MOVED_AT[table]} < ?, true)`, person.before],
    )
    return selectValues<string>(em, `select uuid from ${table} where ${sql} order by uuid`, values)
  }
  const movement = await find('movement')
  const paid = await findOf(em, `select charge_uuid from movement where uuid = any(?::uuid[])`, movement)
  const sent = await findOf(em, `select transfer_uuid from movement where uuid = any(?::uuid[])`, movement)
  const charge = [...new Set([...(await find('charge')), ...paid])]
  return {
    movement,
    charge,
    transfer: [...new Set([...(await find('transfer')), ...sent])],
    recurrence: await find('recurrence'),
    refund: await findOf(em, 'select uuid from refund where charge_uuid = any(?::uuid[])', charge),
    dispute: await findOf(em, 'select uuid from dispute where movement_uuid = any(?::uuid[])', movement),
  }
}

async function findOf(em: EntityManager, sql: string, uuids: string[]): Promise<string[]> {
  const found = await selectValues<string | null>(em, sql, [formatTextArray(uuids)])
  return found.filter(uuid => uuid !== null)
}

/** Statements that list what still runs, by the rows that they read. The first lock their rows until the end of the transaction. */
const RUNNING: readonly { table: keyof PersonRows; sql: string }[] = [
  ...Object.entries({
    charge: ['issuing', 'pending', 'debiting', 'paying', 'refunding'],
    transfer: ['created', 'held', 'approved', 'sending', 'settling'],
    recurrence: ['creating', 'pending', 'processing', 'active'],
    refund: ['sending', 'settling'],
    dispute: ['open', 'analysing', 'accepted'],
  }).map(([table, states]) => ({
    table: table as keyof PersonRows,
    sql: `select '${table} ' || uuid from (select uuid, state from ${table} where uuid = any(?::uuid[]) order by uuid offset 0
      for no key update) locked where state in (${states.map(state => `'${state}'`).join(', ')})`,
  })),
  {
    table: 'movement',
    sql: `select 'unmatched PIX ' || uuid from (select uuid, disposition from movement where uuid = any(?::uuid[]) order by uuid offset 0
      for no key update) locked where disposition in ('held', 'returning', 'not_returned')`,
  },
  {
    table: 'transfer',
    sql: `select 'batch ' || batch_uuid from transfer_batch_item
      where transfer_uuid = any(?::uuid[]) and state in ('pending', 'starting')`,
  },
]

/** Lists what about a person still runs: operations, and deliveries of their events. Locks the rows until the end of the transaction. */
export async function listRunningOfPerson(em: EntityManager, rows: PersonRows): Promise<string[]> {
  const running: string[] = []
  for (const { table, sql } of RUNNING)
    running.push(...(await selectValues<string>(em, sql, [formatTextArray(rows[table])])))
  const deliveries = await selectValues<string>(
    em,
    `select 'delivery ' || d.uuid from event e join delivery d on d.event_uuid = e.uuid where ${IS_OF_ROWS} and d.status = 'PENDING'`,
    eventValuesOf(rows),
  )
  return [...running, ...deliveries]
}

const IS_OF_ROWS = '(e.owner_uuid = any(?::uuid[]) or e.subject_uuid = any(?::uuid[]))'
const eventValuesOf = (rows: PersonRows) => {
  const uuids = formatTextArray(Object.values(rows).flat())
  return [uuids, uuids]
}

/** A row about a person, with its columns as they are stored. */
export type PersonRecord = { table: string; row: Record<string, unknown> }

/** Reads all that is stored about a person in the open: rows of operations, and the events of the last days. */
export async function readPersonRecords(em: EntityManager, rows: PersonRows): Promise<PersonRecord[]> {
  const records: PersonRecord[] = []
  for (const [table, uuids] of Object.entries(rows)) {
    const sql = `select to_jsonb(t) as row from ${table} t where uuid = any(?::uuid[]) order by created_at, uuid`
    const found = await selectValues<PersonRecord['row']>(em, sql, [formatTextArray(uuids)])
    records.push(...found.map(row => ({ table, row })))
  }
  const events = await selectValues<PersonRecord['row']>(
    em,
    `select to_jsonb(e) as row from event e where ${IS_OF_ROWS} order by created_at, uuid`,
    eventValuesOf(rows),
  )
  return [...records, ...events.map(row => ({ table: 'event', row }))]
}

/** How many rows were changed or deleted, by table. */
export type ErasedCounts = Record<string, number>

/** Lists the files of the storage that are attachments of a person's disputes. */
export function listAttachmentKeys(em: EntityManager, { dispute }: PersonRows): Promise<string[]> {
  return selectValues(em, 'select storage_key from attachment where dispute_uuid = any(?::uuid[])', [
    formatTextArray(dispute),
  ])
}

/** Erases a person from rows that have ended, in the caller's transaction: no amount, status, time or id of the rail changes. */
export async function erasePersonRows(
  em: EntityManager,
  { rows, document, ...replacement }: PersonReplacement & { rows: PersonRows; document: string },
): Promise<ErasedCounts> {
  const counts: ErasedCounts = {}
  const run = async (table: string, sql: string, values: unknown[]) => {
    const changed = await selectValues<string>(em, sql, values)
    if (changed.length > 0) counts[table] = (counts[table] ?? 0) + changed.length
  }
  const texts = await findPersonTexts(em, { rows, document, ...replacement })
  for (const [name, change] of Object.entries(JSON_COLUMNS))
    counts[name] = await eraseJson(em, change, texts, eventValuesOf(rows))
  await run('refund', ERASE_REFUNDS, [formatTextArray(rows.movement), document])
  const disputes = formatTextArray(rows.dispute)
  await run('attachment', 'delete from attachment where dispute_uuid = any(?::uuid[]) returning uuid', [
    disputes,
  ])
  await run(
    'dispute',
    `update dispute set details = '', provider_analysis = '',
       analysis = case when analysis is not null then ${NAME} end where uuid = any(?::uuid[]) returning uuid`,
    [disputes],
  )
  for (const columns of PERSON_COLUMNS) {
    const assignments = Object.entries(columns.erased).map(([column, sql]) => `${column} = ${sql}`)
    await run(
      columns.table,
      `update ${columns.table} set ${fillIn(assignments.join(', '), replacement)}
       where uuid = any(?::uuid[]) and ${isOfPerson(columns)} returning uuid`,
      [formatTextArray(rows[columns.table]), document],
    )
  }
  await deleteReceivedTexts(rows, run)
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

type RunCounted = (table: string, sql: string, values: unknown[]) => Promise<void>

/** Fills the replacements in. Neither has a character that ends a literal of SQL. */
function fillIn(sql: string, { pseudonym, sealedNothing }: PersonReplacement): string {
  return sql.replaceAll(PSEUDONYM, `'${pseudonym}'`).replaceAll(SEALED_NOTHING, `'${sealedNothing}'`)
}

/** Reads the texts by which events and answers name the person, with what takes the place of each. */
async function findPersonTexts(
  em: EntityManager,
  { rows, document, pseudonym }: PersonReplacement & { rows: PersonRows; document: string },
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const columns of PERSON_COLUMNS) {
    const found = await selectValues<string | null>(
      em,
      `select distinct unnest(array[${columns.texts.join(', ')}]) from ${columns.table}
       where uuid = any(?::uuid[]) and ${isOfPerson(columns)}`,
      [formatTextArray(rows[columns.table]), document],
    )
    for (const text of found) if (text) texts.set(text, ERASED_TEXT)
  }
  for (const form of listDocumentForms(document)) texts.set(form, pseudonym)
  return texts
}

/** Texts to and about the person with a refund; before the payer of its PIX is erased. */
const ERASE_REFUNDS = `update refund set description = null, failure = ${FAILURE} where num_nonnulls(description, failure) > 0 and charge_uuid in (
  select charge_uuid from movement where uuid = any(?::uuid[]) and ${isOfPerson({ documents: ["sender ->> 'document'"] })})
  returning uuid`

/** Columns of JSON that repeat what rows say of a person, by the name under which they are counted. */
const JSON_COLUMNS: Record<string, { select: string; update: string }> = {
  event: {
    select: `select uuid as key, body as json from event e where ${IS_OF_ROWS}`,
    update: 'update event set body = ?::json where uuid = ?',
  },
  'transfer.accepted': {
    select:
      'select uuid as key, accepted as json from transfer where accepted is not null and (uuid = any(?::uuid[]) or uuid = any(?::uuid[]))',
    update: 'update transfer set accepted = ?::jsonb where uuid = ?',
  },
  transfer_batch_item: {
    select: `select transfer_uuid as key, details as json from transfer_batch_item
      where transfer_uuid = any(?::uuid[]) or transfer_uuid = any(?::uuid[])`,
    update: `update transfer_batch_item set details = ?::jsonb || '{"isErased": true}', description = null where transfer_uuid = ?`,
  },
}

/** Replaces the texts of a person in a column of JSON; returns the number of changed rows. */
async function eraseJson(
  em: EntityManager,
  { select, update }: { select: string; update: string },
  texts: Map<string, string>,
  values: unknown[],
): Promise<number> {
  let count = 0
  for (const { key, json } of await em.execute<{ key: string; json: unknown }[]>(select, values)) {
    const erased = JSON.stringify(eraseTexts(json, texts))
    if (erased === JSON.stringify(json)) continue
    await em.execute(update, [erased, key])
    count += 1
  }
  return count
}

/** Deletes what providers sent about the person's operations, except what a difference or a list is still open about. */
async function deleteReceivedTexts(rows: PersonRows, run: RunCounted): Promise<void> {
  const uuids = formatTextArray(Object.values(rows).flat())
  const references = formatTextArray(Object.values(rows).flat().map(referenceOf))
  const ids = `select id from movement, unnest(array[end_to_end, txid]) id where uuid = any(?::uuid[]) and id is not null
    union all select txid from charge where uuid = any(?::uuid[]) and txid is not null`
  await run(
    'provider_notification',
    `delete from provider_notification kept where routed_at is not null and ${IS_EXPLAINED_SQL}
       and (end_to_end in (${ids}) or reference in (${ids}) or reference = any(?::text[])) returning uuid`,
    [uuids, uuids, uuids, uuids, references],
  )
  await run(
    'unexplained_answer',
    `delete from unexplained_answer where reference = any(?::text[])
       and (period_from is null or resolved_at is not null) returning uuid`,
    [references],
  )
  await run('key_lookup', 'delete from key_lookup where transfer_uuid = any(?::uuid[]) returning uuid', [
    formatTextArray(rows.transfer),
  ])
  await run(
    'attempt',
    `update attempt set message = null, provider_message = null where subject_uuid = any(?::uuid[])
       and num_nonnulls(message, provider_message) > 0 returning uuid`,
    [uuids],
  )
  await run(
    'charge_revision',
    'update charge_revision set message = null where charge_uuid = any(?::uuid[]) and message is not null returning uuid',
    [formatTextArray(rows.charge)],
  )
}
