import { FREQUENT_VACUUM, type SchemaPart } from './schema-part.ts'
import { createTransitionTrigger } from './trigger-functions.ts'

const TRANSITIONS = createTransitionTrigger('charge', {
  issuing: 'pending debiting paying paid refunding partially_refunded refunded failed expired cancelled',
  pending: 'debiting paying paid refunding partially_refunded refunded failed expired cancelled',
  debiting: 'pending paying paid refunding partially_refunded refunded failed expired cancelled',
  paying: 'pending debiting paid refunding partially_refunded refunded failed expired cancelled',
  paid: 'refunding partially_refunded refunded',
  refunding: 'paid partially_refunded refunded',
  partially_refunded: 'paid refunding refunded',
  expired: 'pending debiting paying paid refunding partially_refunded refunded failed cancelled',
  cancelled: 'pending debiting paying paid refunding partially_refunded refunded failed expired',
})

/** What a split may become, as in `src/domain/charges/split.ts`. */
const SPLIT_TRANSITIONS = createTransitionTrigger('split', { PENDING: 'CREDITED FAILED' }, 'status')

/** Charges (PIX In) and their splits. */
export const charges: SchemaPart = {
  tables: `
create table charge (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  -- The first candidate until a provider has issued the charge.
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint charge_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  state text not null check (state in ('issuing', 'pending', 'debiting', 'paying', 'paid', 'refunding',
    'partially_refunded', 'refunded', 'failed', 'expired', 'cancelled')),
  -- 0: the payer decides the amount.
  value_cents bigint not null check (value_cents between 0 and 999999999999),
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  total_cents bigint not null check (total_cents >= 0),
  external_ref varchar(255),
  beneficiary_name varchar(140),
  beneficiary_document varchar(14),
  debtor_name varchar(140),
  debtor_document varchar(14),
  debtor_email varchar(254),
  debtor_address jsonb,
  -- Only the debtor may pay,
  is_sender_verified boolean not null default false,
  -- or only persons, or companies;
  payer_kind text check (payer_kind in ('PERSON', 'COMPANY')),
  -- by the whole document, or by the root of the CNPJ.
  payer_match text check (payer_match in ('FULL', 'ROOT')),
  -- When it is to be paid, and what its provider adds or subtracts for the day of payment (src/domain/charges/due-terms.ts).
  due jsonb,
  -- Number of its last revision that its provider has accepted,
  revision int not null default 0 check (revision >= 0),
  -- and what its request asked before the first one.
  issued_as jsonb,
  -- What its payment consists of, where its provider has reported that.
  paid_parts jsonb,
  message varchar(140),
  additional_info jsonb not null default '[]' check (jsonb_array_length(additional_info) <= 50),
  metadata jsonb not null default '{}',
  payment_uuid uuid not null,
  payload text,
  txid text,
  -- Of the payload; null once the charge is paid, because its movement has them.
  pix_key text,
  receiver jsonb,
  expires_in_seconds int check (expires_in_seconds between 60 and 2592000),
  expires_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_unanswered boolean not null default false,
  movement_uuid uuid constraint charge_movement references movement,
  end_to_end text,
  paid_at timestamptz,
  received_cents bigint not null default 0 check (received_cents >= 0),
  refunding_cents bigint not null default 0 check (refunding_cents >= 0),
  refunded_cents bigint not null default 0 check (refunded_cents >= 0),
  disputed_cents bigint not null default 0 check (disputed_cents >= 0),
  failure jsonb,
  history jsonb not null default '[]',
  sequence int not null default 0,
  -- The token whose request created it, or the user of the dashboard; neither: a provider.
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- The static code that it is paid to; null where its provider has issued the payload.
  qr_code_uuid uuid,
  -- The recurrence whose payer it debits, for which cycle, and the due day of that.
  recurrence_uuid uuid,
  cycle int,
  debit_on text,
  -- Its tries, as its provider has reported them (src/domain/recurrences/tries.ts).
  tries jsonb not null default '[]',
  -- It debits at the provider where the payer has authorized the recurrence.
  constraint charge_recurrence foreign key (recurrence_uuid, account_uuid, connection_uuid)
    references recurrence (uuid, account_uuid, connection_uuid),
  -- A debit has a value and a debtor, and shows no payer a code.
  constraint charge_debit check (num_nulls(recurrence_uuid, cycle, debit_on) in (0, 3) and jsonb_typeof(tries) = 'array'
    and case when recurrence_uuid is null then tries = '[]' else cycle > 0 and debit_on ~ '^\\d{4}-\\d{2}-\\d{2}$' and value_cents > 0
      and debtor_document is not null and due is null and qr_code_uuid is null and coalesce(payload, '') = '' end),
  -- Only a debit is in progress without a PIX, and only a debit fails after it was made.
  constraint charge_debiting check (debit_on is not null or (state <> 'debiting' and (state <> 'failed' or payload is null))),
  constraint charge_qr_code foreign key (qr_code_uuid, account_uuid, provider_account_uuid)
    references qr_code (uuid, account_uuid, provider_account_uuid),
  -- A static code can be paid for as long as its key exists; any other payload has an expiry, which follows from the due date where it has one.
  constraint charge_expiry_known check (case when qr_code_uuid is not null then expires_at is null
    when due is not null or debit_on is not null then expires_in_seconds is null else expires_in_seconds is not null end),
  -- A due date has a value and a debtor, and no static code has one.
  constraint charge_due check (due is null or ((due ->> 'on' ~ '^\\d{4}-\\d{2}-\\d{2}$') is true and value_cents > 0 and debtor_document is not null and qr_code_uuid is null)),
  -- Only a charge with a due date is revised.
  constraint charge_revised check ((revision > 0) = (issued_as is not null) and (revision = 0 or due is not null)),
  -- The parts of a payment add up to what was received.
  constraint charge_paid_parts check (paid_parts is null or (due is not null and received_cents > 0
    and least((paid_parts ->> 'originalCents')::bigint, (paid_parts ->> 'fineCents')::bigint, (paid_parts ->> 'interestCents')::bigint,
      (paid_parts ->> 'discountCents')::bigint, (paid_parts ->> 'abatementCents')::bigint) >= 0
    and received_cents = (paid_parts ->> 'originalCents')::bigint + (paid_parts ->> 'fineCents')::bigint
      + (paid_parts ->> 'interestCents')::bigint - (paid_parts ->> 'discountCents')::bigint - (paid_parts ->> 'abatementCents')::bigint) is true),
  -- Refunds and disputes together never exceed what was received (SPEC §3).
  constraint charge_remainder check (refunding_cents + refunded_cents + disputed_cents <= received_cents),
  -- A beneficiary has both, name and document.
  constraint charge_beneficiary check ((beneficiary_name is null) = (beneficiary_document is null)),
  -- A debtor has both, name and document.
  constraint charge_debtor check ((debtor_name is null) = (debtor_document is null)
    and (debtor_email is null or debtor_name is not null) and (debtor_address is null or debtor_name is not null)),
  -- A restriction names whom it allows: a document with check digits of its kind is of its length.
  constraint charge_payer_named check ((not is_sender_verified or debtor_document is not null)
    and (payer_match is null or is_sender_verified)
    and (payer_match is distinct from 'ROOT' or length(debtor_document) = 14)
    and (not is_sender_verified or payer_kind is null or (payer_kind = 'PERSON') = (length(debtor_document) = 11))),
  -- A charge that can be paid has a payload. One whose row was stored as ended may have none.
  constraint charge_issued check (state in ('issuing', 'failed', 'cancelled', 'expired') or payload is not null),
  -- A paid charge names the PIX that paid it.
  constraint charge_paid
    check (state not in ('paid', 'refunding', 'partially_refunded', 'refunded') or movement_uuid is not null),
  -- The payer pays value and fee; of an open amount nothing is known before it is paid, and the fee comes out of it. The fee of a
  -- charge with a due date is at most what was received.
  constraint charge_total check (case when value_cents = 0 then total_cents = received_cents and fee_cents <= total_cents
    when due is not null and received_cents > 0 and fee_cents = received_cents then total_cents >= value_cents + fee_cents
    else total_cents = value_cents + fee_cents end
    and (due is null or received_cents = 0 or fee_cents <= received_cents)),
  -- A charge is paid whole, by one PIX, or not at all. Of one with a due date its provider computes what is paid.
  constraint charge_settled check ((received_cents in (0, total_cents) or due is not null)
    and (received_cents > 0) = (state in ('paid', 'refunding', 'partially_refunded', 'refunded'))),
  -- Its state says how much was refunded.
  constraint charge_returns check ((refunding_cents > 0) = (state = 'refunding') and case state
    when 'partially_refunded' then refunded_cents > 0 and refunded_cents < received_cents
    when 'refunded' then refunded_cents = received_cents
    else state = 'refunding' or refunded_cents = 0 end)
) ${FREQUENT_VACUUM};
-- A cycle is charged once. A charge that its provider has never made leaves its cycle free.
create unique index charge_cycle_once on charge (recurrence_uuid, cycle)
  where recurrence_uuid is not null and (state <> 'failed' or txid is not null);
create unique index charge_one_pix on charge (movement_uuid) where movement_uuid is not null;
-- The list, without and with a filter; index-only, so that a million charges cost what a page costs.
create index charge_listed on charge (account_uuid, created_at, uuid)
  include (connection_uuid, state, value_cents, paid_at);
-- By state where most charges are not; the list of paid ones passes over few others.
create index charge_by_state on charge (account_uuid, state, created_at, uuid) include (connection_uuid)
  where state <> 'paid';
create index charge_of_provider on charge (account_uuid, connection_uuid, created_at, uuid)
  include (state, value_cents);
-- By value, and sorted by it.
create index charge_by_value on charge (account_uuid, value_cents, created_at, uuid) include (connection_uuid, state);
create index charge_by_payment on charge (account_uuid, paid_at) include (connection_uuid, created_at, uuid)
  where paid_at is not null;
-- Charges by their due day; most have none.
create index charge_by_due on charge (account_uuid, coalesce(due ->> 'on', debit_on), created_at, uuid) include (connection_uuid, state)
  where coalesce(due ->> 'on', debit_on) is not null;
-- The charges of a recurrence.
create index charge_of_recurrence on charge (recurrence_uuid, cycle) where recurrence_uuid is not null;
-- The payments of a static code.
create index charge_of_qr_code on charge (qr_code_uuid, created_at, uuid) where qr_code_uuid is not null;
create index charge_by_external_ref on charge (account_uuid, external_ref) where external_ref is not null;
-- Ids of the rail are long and unique: a hash index has four bytes of each.
create index charge_by_txid on charge using hash (txid);
-- Of a provider's name of the PIX, the end-to-end id that it ends with (src/domain/pix/identifiers.ts).
create index charge_by_end_to_end on charge using hash (right(end_to_end, 32));
-- Whether an open charge can be paid to a PIX key.
create index charge_open_key on charge (pix_key) where state in ('pending', 'debiting', 'paying');
-- Operators' watch over the few that move, and the comparison of rows with running workflows. By created_at, which
-- never changes: an update of a charge need not touch these indexes.
create index charge_moving on charge (created_at) where state in ('issuing', 'paying', 'refunding');
create index charge_unfinished on charge (created_at, uuid) where state in ('issuing', 'pending', 'debiting', 'paying');
-- Operators' watch over charges that their provider does not end. A charge enters it with its payload.
create index charge_pending_expiry on charge (expires_at) where state in ('pending', 'debiting');

-- An operator's confirmation that a charge past its expiry was not paid, though its provider calls it completed.
create table charge_expiry (
  charge_uuid uuid primary key references charge,
  confirmed_by text not null check (confirmed_by <> ''),
  reason text not null check (reason <> ''),
  confirmed_at timestamptz not null default now()
);

create table split (
  uuid uuid primary key,
  charge_uuid uuid not null references charge,
  position int not null,
  type text not null check (type in ('PERCENTAGE', 'FIXED')),
  amount bigint not null constraint split_amount_check check (amount >= 0 and (type = 'FIXED' or amount <= 10000)),
  recipient_account_uuid uuid not null references account,
  status text not null default 'PENDING' check (status in ('PENDING', 'CREDITED', 'FAILED')),
  credited_cents bigint not null default 0 check (credited_cents >= 0),
  return_requested_cents bigint not null default 0 constraint split_return_requested_cents_check check (return_requested_cents between 0 and credited_cents),
  -- A recipient has one share of a type.
  constraint split_once unique (charge_uuid, recipient_account_uuid, type),
  -- Only a credited split holds money.
  constraint split_credited check (credited_cents = 0 or status = 'CREDITED')
);
create index split_of_charge on split (charge_uuid, position);`,

  rules: `${TRANSITIONS}
-- The value that was ordered, and the terms of its due date, change by a revision alone.
create trigger charge_value_fixed before update of value_cents, due, revision on charge for each row
  when ((old.value_cents, old.due) is distinct from (new.value_cents, new.due) and new.revision <> old.revision + 1
    or new.revision not in (old.revision, old.revision + 1) or (old.revision <> new.revision and old.received_cents > 0)
    or (old.due is null) <> (new.due is null))
  execute function refuse();

-- A debit stays one of its cycle, and asks what the payer has authorized.
create trigger charge_debit_fixed before update of recurrence_uuid, cycle, debit_on on charge for each row
  when ((old.recurrence_uuid, old.cycle, old.debit_on) is distinct from (new.recurrence_uuid, new.cycle, new.debit_on))
  execute function refuse();
create function check_charge_debit() returns trigger language plpgsql as $$
begin
  if not exists (
    select from recurrence r where r.uuid = new.recurrence_uuid and r.rail_id is not null
      and (r.value_cents is null or (new.value_cents = r.value_cents and new.fee_cents = r.fee_cents))
      and new.debit_on >= r.starts_on and (r.ends_on is null or new.debit_on <= r.ends_on)
      and new.debtor_document = r.debtor_document
  ) then
    raise exception 'charge % debits something else than its recurrence allows', new.uuid
      using errcode = 'check_violation', constraint = 'charge_debit_authorized', table = 'charge';
  end if;
  return new;
end $$;
create trigger charge_debit_authorized before insert or update of value_cents, fee_cents on charge for each row
  when (new.recurrence_uuid is not null) execute function check_charge_debit();

-- So does whom the charge allows to pay it. Only an erasure changes the debtor, of a charge that does not move.
create trigger charge_payer_fixed before update of is_sender_verified, debtor_document, payer_kind, payer_match on charge for each row
  when (old.is_sender_verified <> new.is_sender_verified or (old.debtor_document is distinct from new.debtor_document
      and (old.debtor_document is null or not is_erased(new.debtor_document)
        or new.state in ('issuing', 'pending', 'debiting', 'paying', 'refunding')))
    or old.payer_kind is distinct from new.payer_kind or old.payer_match is distinct from new.payer_match)
  execute function refuse();

-- A charge with a restriction is never paid by a PIX of another document, nor of one that is not known.
create function is_allowed_payer(paid charge, document text) returns boolean immutable language sql as $$
  select coalesce(
    case when paid.payer_kind is null then document ~ '^(\\d{11}|[0-9A-Z]{12}\\d{2})$'
      when paid.payer_kind = 'PERSON' then document ~ '^\\d{11}$' else document ~ '^[0-9A-Z]{12}\\d{2}$' end
    and case when not paid.is_sender_verified then true
      when paid.payer_match = 'ROOT' then length(document) = 14 and left(document, 8) = left(paid.debtor_document, 8)
      else document = paid.debtor_document end, false)
$$;
create function check_charge_payer() returns trigger language plpgsql as $$
begin
  if exists (select from charge c join movement m on m.uuid = c.movement_uuid
    where case tg_table_name when 'charge' then c.uuid else m.uuid end = new.uuid
      and c.received_cents > 0 and (c.is_sender_verified or c.payer_kind is not null)
      and not is_allowed_payer(c, upper(regexp_replace(m.sender ->> 'document', '[./-]', '', 'g')))
  ) then
    raise exception 'the payer of a charge is not the one it allows: % %', tg_table_name, new.uuid
      using errcode = 'check_violation', constraint = 'charge_payer';
  end if;
  return null;
end $$;
create constraint trigger charge_payer after insert or update of received_cents, movement_uuid on charge
  deferrable initially deferred for each row
  when (new.received_cents > 0 and (new.is_sender_verified or new.payer_kind is not null))
  execute function check_charge_payer();
create constraint trigger movement_payer_kept after update of sender on movement
  deferrable initially deferred for each row
  when (new.charge_uuid is not null and new.movement_type = 'IN' and old.sender is distinct from new.sender
    and not (old.status = 'SETTLED' and old.sender is not null and is_erased(new.sender ->> 'document')))
  execute function check_charge_payer();

-- An operator confirms only what is a day past its expiry and not ended, and only once.
create function check_charge_expiry() returns trigger language plpgsql as $$
begin
  if not exists (
    select from charge where uuid = new.charge_uuid and state in ('pending', 'debiting') and expires_at < now() - interval '1 day'
  ) then
    raise exception 'charge % has ended, or has not expired a day ago', new.charge_uuid
      using errcode = 'check_violation', constraint = 'charge_expiry_due';
  end if;
  return new;
end $$;
create trigger charge_expiry_due before insert on charge_expiry for each row execute function check_charge_expiry();
create trigger charge_expiry_kept before update or delete on charge_expiry
  for each statement execute function refuse_change();

-- The splits of a charge never exceed what they divide, nor the credits what came in.
create function check_split_shares() returns trigger language plpgsql as $$
declare
  charge_to_check uuid := case tg_table_name when 'charge' then to_jsonb(new) ->> 'uuid' else to_jsonb(new) ->> 'charge_uuid' end;
begin
  if exists (
    select from charge c, lateral (
      select sum(amount) filter (where type = 'PERCENTAGE') as percent, sum(credited_cents) as credited,
        sum(case type when 'FIXED' then amount else c.value_cents * amount / 10000 end) as shares
      from split where charge_uuid = c.uuid) s
    where c.uuid = charge_to_check
      and (s.percent > 10000 or s.shares > c.value_cents or s.credited > c.received_cents - c.fee_cents)
  ) then
    raise exception 'the splits of charge % exceed it', charge_to_check
      using errcode = 'check_violation', constraint = 'split_shares';
  end if;
  return null;
end $$;
${SPLIT_TRANSITIONS}
create constraint trigger split_shares after insert or update of type, amount, credited_cents on split
  deferrable initially deferred for each row execute function check_split_shares();
create constraint trigger charge_split_shares after update of value_cents on charge
  deferrable initially deferred for each row when (old.value_cents <> new.value_cents) execute function check_split_shares();`,
}
