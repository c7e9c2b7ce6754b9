import { SEARCHED_NOUNS, type SearchedNoun } from '../../../domain/shared/nouns.ts'
import { MAX_WORD_LENGTH, MIN_TAIL_LENGTH } from '../../../domain/shared/search-text.ts'
import type { SchemaPart } from './schema-part.ts'

/** What separates words, as escapes of SQL: each character of ASCII that is no letter or digit. */
const SEPARATORS = Array.from({ length: 127 }, (_, index) => index + 1)
  .filter(code => !/[\da-z]/i.test(String.fromCharCode(code)))
  .map(code => `\\x${code.toString(16).padStart(2, '0')}`)

/** Builds the SQL of a uuid as it is searched: without hyphens, one word. */
const wordOf = (uuid: string) => `replace(${uuid}::text, '-', '')`

/** Builds the SQL of a PIX code as one word, of which only its whole text has the same: codes of a merchant begin alike. */
const codeWordOf = (payload: string) => `left(encode(sha256(convert_to(${payload}, 'UTF8')), 'hex'), 32)`

/** Builds the SQL of the name and the document of a party; providers report documents with and without their punctuation. */
const textsOfParty = (party: string) => `${party} ->> 'name', translate(${party} ->> 'document', './-', '')`

/**
 * Builds the function that writes the entry of an operation anew from its rows. One for each noun: PostgreSQL plans its statement
 * for the rows of that noun alone.
 */
const createRefreshFunction = (noun: SearchedNoun) => `
create function refresh_entry_of_${noun}(subject uuid) returns void language plpgsql as $$
begin
  -- Before its rows are read: of two transactions that change different ones, the later sees what the earlier committed.
  perform from search_entry where uuid = subject for no key update;
  insert into search_entry as entry (uuid, noun, account_uuid, connection_uuid, created_at, words)
  select uuid, noun, account_uuid, connection_uuid, created_at, words from search_source where noun = '${noun}' and uuid = subject
  on conflict (uuid) do update set connection_uuid = excluded.connection_uuid, created_at = excluded.created_at, words = excluded.words
  where (entry.connection_uuid, entry.created_at, entry.words)
    is distinct from (excluded.connection_uuid, excluded.created_at, excluded.words);
end $$;`

/** Builds a trigger that refreshes the entry of a row's operation once the transaction has written all that it writes. */
const createRefreshTrigger = (
  table: string,
  { noun, subject, columns, condition = 'true' }: RefreshedRow,
) => `
create function refresh_entry_by_${table}() returns trigger language plpgsql as $$
begin
  perform refresh_entry_of_${noun}(new.${subject});
  return null;
end $$;
create constraint trigger ${table}_searched after insert or update of ${columns} on ${table}
  deferrable initially deferred for each row when (${condition}) execute function refresh_entry_by_${table}();`

/**
 * `subject`: the column with the uuid of the operation; `columns`: those that the entry has something of; `condition`: on the new row,
 * absent where each row has an entry.
 */
type RefreshedRow = { noun: SearchedNoun; subject: string; columns: string; condition?: string }

/** Builds the SQL of an id of the rail, and of its end, which receipts show. */
const idWithTail = (id: string) => `${id}, right(${id}, ${MIN_TAIL_LENGTH})`

/**
 * Builds the index of the words of a noun. Without a list of pending entries, which one transaction would have to merge while
 * its payment waits. Its keys are words and not trigrams, of which an entry has ten times as many.
 */
const createWordIndex = (noun: string) =>
  `create index search_entry_of_${noun} on search_entry using gin (words) with (fastupdate = off) where noun = '${noun}';`

/** What the search of the dashboard finds: an entry for each charge, transfer, recurrence, dispute and PIX without a charge (SPEC §9). */
export const searchEntries: SchemaPart = {
  tables: `
-- The words of a text as foldSearchText has them (src/domain/shared/search-text.ts). What a provider reports has no limit, a
-- tsvector has: of a word and of all words.
create function fold_search_words(text) returns text[] immutable strict parallel safe language sql as $$
  select array(select left(word, ${MAX_WORD_LENGTH}) from unnest(string_to_array(translate(
    regexp_replace(lower(normalize($1, NFKD)), '[\\u0300-\\u036f]', '', 'g'), E'${SEPARATORS.join('')}',
    '${SEPARATORS.map(() => ' ').join('')}'), ' ')) as word
    where word <> '' limit 500)
$$;

-- All that an operation is found by, of its own row and of those that belong to it, in one row: so that one index answers for
-- several words together, and an update of an operation need not touch that index.
create table search_entry (
  -- Of the operation, or of the movement of a PIX without a charge.
  uuid uuid primary key,
  noun text not null check (noun in (${SEARCHED_NOUNS.map(noun => `'${noun}'`).join(', ')})),
  account_uuid uuid not null,
  connection_uuid uuid,
  created_at timestamptz(3) not null,
  -- Its words, and what no word is: '@' and the account, '$' and an amount in centavos.
  words tsvector not null
);
-- The newest of an account, and of all accounts: words that very many entries have are found there.
create index search_entry_newest on search_entry (account_uuid, noun, created_at, uuid);
create index search_entry_newest_of_all on search_entry (noun, created_at, uuid);
-- All others: an index for each noun, so that few disputes are not looked for among many charges.
${SEARCHED_NOUNS.map(createWordIndex).join('\n')}`,

  rules: `
create view search_source as
select uuid, noun, account_uuid, connection_uuid, created_at,
  array_to_tsvector(fold_search_words(texts) || ('@' || ${wordOf('account_uuid')})
    || array(select '$' || amount from unnest(cents) as amount)) as words
from (
select c.uuid, 'charge' as noun, c.account_uuid, c.connection_uuid, c.created_at,
  array[c.value_cents, c.total_cents, c.received_cents] as cents,
  concat_ws(' ', ${wordOf('c.uuid')}, ${wordOf('c.payment_uuid')}, c.external_ref, ${idWithTail('c.txid')},
    ${idWithTail('c.end_to_end')}, c.message,
    c.beneficiary_name, c.beneficiary_document, c.debtor_name, c.debtor_document, c.debtor_email,
    ${codeWordOf('c.payload')}, paid.texts, refunded.texts) as texts
from charge c
cross join lateral (
  select string_agg(concat_ws(' ', ${wordOf('m.uuid')}, ${idWithTail('m.end_to_end')}, ${idWithTail('m.txid')}, ${textsOfParty('m.sender')}), ' ') as texts
  from movement m where m.charge_uuid = c.uuid and m.account_uuid = c.account_uuid
    and m.type = 'EXTERNAL_TRANSFER' and m.movement_type = 'IN'
) paid
cross join lateral (
  select string_agg(concat_ws(' ', ${wordOf('r.uuid')}, ${idWithTail('r.end_to_end')}, r.description), ' ') as texts
  from refund r where r.charge_uuid = c.uuid
) refunded
-- Issuing takes a moment, and an entry costs as much as the charge's row.
where c.state <> 'issuing'
union all
select t.uuid, 'transfer', t.account_uuid, t.connection_uuid, t.created_at, array[t.value_cents],
  concat_ws(' ', ${wordOf('t.uuid')}, t.external_ref, ${idWithTail('t.end_to_end')}, ${idWithTail('t.pix_key')},
    t.bank_account ->> 'account_number',
    ${textsOfParty('t.bank_account')}, t.document, t.beneficiary_name, t.beneficiary_document, ${textsOfParty('t.receiver')},
    t.lookup -> 'owner' ->> 'name', ${codeWordOf("t.payment_code ->> 'payload'")}, sent.texts)
from transfer t
cross join lateral (
  select string_agg(concat_ws(' ', ${wordOf('m.uuid')}, ${idWithTail('m.end_to_end')}, ${idWithTail('m.txid')}, ${textsOfParty('m.receiver')}), ' ') as texts
  from movement m where m.transfer_uuid = t.uuid and m.type = 'EXTERNAL_TRANSFER'
) sent
union all
select r.uuid, 'recurrence', r.account_uuid, r.connection_uuid, r.created_at,
  array_remove(array[r.value_cents, r.value_cents + r.fee_cents], null),
  concat_ws(' ', ${wordOf('r.uuid')}, r.contract, r.subject, r.external_ref, ${idWithTail('r.rail_id')}, r.debtor_name,
    r.debtor_document, ${codeWordOf('r.payload')})
from recurrence r
union all
select d.uuid, 'dispute', d.account_uuid, d.connection_uuid, d.created_at, array[d.value_cents],
  concat_ws(' ', ${wordOf('d.uuid')}, d.provider_dispute_id, ${idWithTail('d.end_to_end')}, c.external_ref,
    ${idWithTail('c.txid')}, left(d.details, 500),
    ${textsOfParty("(case m.movement_type when 'IN' then m.sender else m.receiver end)")})
from dispute d join movement m on m.uuid = d.movement_uuid left join charge c on c.uuid = d.charge_uuid
union all
select m.uuid, 'unmatched', m.account_uuid, m.connection_uuid, m.created_at, array[m.value_cents],
  concat_ws(' ', ${wordOf('m.uuid')}, ${idWithTail('m.end_to_end')}, ${idWithTail('m.txid')}, m.pix_key, ${textsOfParty('m.sender')})
from movement m where m.disposition is not null or m.reason = 'deposit'
) source;
${SEARCHED_NOUNS.map(createRefreshFunction).join('\n')}
${createRefreshTrigger('charge', {
  noun: 'charge',
  subject: 'uuid',
  columns: `state, connection_uuid, created_at, value_cents, total_cents, received_cents, external_ref, txid, end_to_end, message, payload,
    beneficiary_name, beneficiary_document, debtor_name, debtor_document, debtor_email`,
  condition: "new.state <> 'issuing'",
})}
${createRefreshTrigger('refund', { noun: 'charge', subject: 'charge_uuid', columns: 'end_to_end, description' })}
${createRefreshTrigger('transfer', {
  noun: 'transfer',
  subject: 'uuid',
  columns: `connection_uuid, created_at, external_ref, end_to_end, pix_key, bank_account, document, beneficiary_name,
    beneficiary_document, receiver, lookup, payment_code`,
})}
${createRefreshTrigger('recurrence', {
  noun: 'recurrence',
  subject: 'uuid',
  columns: 'connection_uuid, created_at, fee_cents, debtor_name, debtor_document, rail_id, payload',
})}
${createRefreshTrigger('dispute', {
  noun: 'dispute',
  subject: 'uuid',
  columns: 'connection_uuid, created_at, provider_dispute_id, end_to_end, details, charge_uuid',
})}

-- A PIX belongs to what it paid, and to itself while it pays no charge.
create function refresh_entries_by_movement() returns trigger language plpgsql as $$
begin
  if new.charge_uuid is not null then perform refresh_entry_of_charge(new.charge_uuid); end if;
  if new.transfer_uuid is not null then perform refresh_entry_of_transfer(new.transfer_uuid); end if;
  if new.disposition is not null or new.reason = 'deposit' then perform refresh_entry_of_unmatched(new.uuid);
  elsif tg_op = 'UPDATE' then delete from search_entry where uuid = new.uuid;
  end if;
  -- A dispute has the payer of its PIX.
  if tg_op = 'UPDATE' then perform refresh_entry_of_dispute(uuid) from dispute where movement_uuid = new.uuid; end if;
  return null;
end $$;
create constraint trigger movement_searched
  after insert or update of connection_uuid, end_to_end, txid, sender, receiver, charge_uuid, transfer_uuid, disposition, reason
  on movement deferrable initially deferred for each row when (new.type = 'EXTERNAL_TRANSFER')
  execute function refresh_entries_by_movement();`,
}
