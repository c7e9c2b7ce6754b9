import { OPERATION_CODE_SQL, OPERATION_CODES } from '../../ledger/operation-types.ts'
import { FREQUENT_VACUUM, type SchemaPart } from './schema-part.ts'
import { createTransitionTrigger } from './trigger-functions.ts'

/** What a movement may become by one event, as in `src/domain/ledger/movement.ts`. */
const TRANSITIONS = createTransitionTrigger(
  'movement',
  { PENDING: 'SETTLED FAILED', FAILED: 'SETTLED' },
  'status',
)

/** The double-entry ledger: movements of money, their postings, and the balances that these add up to. */
export const ledger: SchemaPart = {
  tables: `
create table movement (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  provider_account_uuid uuid not null references provider_account,
  connection_uuid uuid,
  type text not null check (type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND', 'SPLIT', 'FEE', 'HOLD', 'ADJUSTMENT')),
  movement_type text not null check (movement_type in ('IN', 'OUT')),
  value_cents bigint not null check (value_cents > 0),
  status text not null check (status in ('PENDING', 'SETTLED', 'FAILED')),
  -- Ids of the rail and of providers have no limit of ours: money is never refused over the length of its id.
  end_to_end text,
  txid text,
  pix_key text,
  sender jsonb,
  receiver jsonb,
  charge_uuid uuid,
  transfer_uuid uuid,
  refund_uuid uuid,
  dispute_uuid uuid,
  original_uuid uuid references movement,
  return_of text,
  return_id text,
  reason text constraint movement_reasons check (reason in ('deposit', 'second_payment', 'wrong_amount', 'wrong_payer',
    'unknown_payer', 'charge_over', 'code_disabled', 'orphan', 'duplicate_settlement', 'late_settlement', 'provider_tariff', 'provider_withdrawal', 'provider_credit',
    'provider_block', 'provider_unblock', 'panel_transfer', 'panel_return', 'opening_balance', 'adjustment')),
  entry_name text,
  disposition text check (disposition in ('held', 'returning', 'returned', 'kept', 'not_returned')),
  sequence int not null default 0,
  settled_at timestamptz,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- Settled money has a time.
  constraint movement_settled check (status <> 'SETTLED' or settled_at is not null),
  -- Exactly the movements that are not PIX are identified by an entry; a PIX of the provider's panel has settled.
  constraint movement_entry check (
    (entry_name is not null) = coalesce(reason in ('provider_tariff', 'provider_withdrawal', 'provider_credit',
      'provider_block', 'provider_unblock', 'adjustment'), false)
    and (reason is distinct from 'panel_transfer' or (end_to_end is not null and status = 'SETTLED'))
  ),
  -- Only a PIX that pays no charge is returned or kept: one that becomes the payment of a charge has no disposition, and gets none.
  constraint movement_disposition check (disposition is null or reason is not null),
  -- An id of a return says which PIX it returns.
  constraint movement_return_named check (return_id is null or return_of is not null),
  -- What moves through a connection moves at its provider account.
  constraint movement_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid)
);
-- A PIX is booked once, in each direction.
create unique index movement_once on movement (provider_account_uuid, movement_type, end_to_end)
  where end_to_end is not null;
-- So is a return,
create unique index movement_return_once on movement (provider_account_uuid, movement_type, return_of, return_id)
  where return_id is not null;
-- an entry that is not a PIX,
create unique index movement_entry_once on movement (provider_account_uuid, movement_type, entry_name)
  where entry_name is not null;
-- and the opening balance of a provider account, whichever of its connections came first.
create unique index movement_opened_once on movement (provider_account_uuid) where reason = 'opening_balance';
-- We return a PIX once: a return of ours is under way or settled at most once (refunds of charges have rules of their own).
create unique index movement_own_return_once on movement (original_uuid)
  where type = 'EXTERNAL_REFUND' and movement_type = 'OUT' and status in ('PENDING', 'SETTLED') and refund_uuid is null
    and dispute_uuid is null and reason is distinct from 'panel_return';
-- The PIX of a provider account that settled in a period, which are compared with its statement every hour,
create index movement_by_settlement on movement (provider_account_uuid, settled_at) where settled_at is not null;
-- those that return one of the statement,
create index movement_by_return_of on movement (return_of) where return_of is not null;
-- what is in transit to it, and what its provider blocks.
create index movement_in_transit on movement (provider_account_uuid) where movement_type = 'IN' and status = 'PENDING';
create index movement_of_block on movement (provider_account_uuid, account_uuid)
  where reason in ('provider_block', 'provider_unblock');
-- An account's volume of the last days.
create index movement_of_account on movement (account_uuid, created_at);
-- Charges by the beginning of their payer's name, and by document.
create index movement_by_payer_name on movement (account_uuid, lower(sender->>'name') text_pattern_ops)
  where type = 'EXTERNAL_TRANSFER' and charge_uuid is not null;
create index movement_by_payer_document on movement (account_uuid, (sender->>'document'))
  where type = 'EXTERNAL_TRANSFER' and charge_uuid is not null;
-- Payments without a charge that an account still holds.
create index movement_held_of_account on movement (account_uuid)
  where disposition in ('held', 'returning', 'not_returned');
-- All of them, by day: the list, and what became of them.
create index movement_unmatched_of_account on movement (account_uuid, created_at, uuid) where disposition is not null;
-- Deposits, which an account may return, or assign to a code.
create index movement_deposit_of_account on movement (account_uuid, created_at, uuid)
  where disposition is null and reason = 'deposit';
create index movement_of_charge on movement (charge_uuid) where charge_uuid is not null;
-- What went back of a PIX.
create index movement_of_original on movement (original_uuid) where type = 'EXTERNAL_REFUND';
create index movement_of_transfer on movement (transfer_uuid) where transfer_uuid is not null;
create index movement_of_refund on movement (refund_uuid) where refund_uuid is not null;
create index movement_of_dispute on movement (dispute_uuid) where dispute_uuid is not null;
-- Operators' lists: unmatched PIX that are still ours,
create index movement_unmatched on movement (created_at) where disposition in ('held', 'returning', 'not_returned');
-- and settlement anomalies. By created_at, which never changes: an update of a movement need not touch this index.
create index movement_unexpected on movement (created_at)
  where reason in ('duplicate_settlement', 'late_settlement');

-- One row per bucket; a posting locks it and adds to it.
create table balance (
  account_uuid uuid not null references account,
  provider_account_uuid uuid not null references provider_account,
  bucket text not null check (bucket in ('available', 'pending', 'provisioned',
    'blocked', 'retained', 'fee', 'shortfall', 'outside')),
  cents bigint not null,
  primary key (account_uuid, provider_account_uuid, bucket),
  -- No bucket of a merchant is below zero (SPEC §7);
  constraint balance_covered check (bucket in ('outside', 'shortfall') or cents >= 0),
  -- what is missing is booked as a shortfall, which is never a credit.
  constraint balance_shortfall check (bucket <> 'shortfall' or cents <= 0)
);
create index balance_of_provider_account on balance (provider_account_uuid);

create table posting (
  id bigint generated always as identity primary key,
  movement_uuid uuid not null references movement,
  account_uuid uuid not null,
  provider_account_uuid uuid not null,
  -- What is no value of the movement has a type of its own (src/domain/ledger/legs.ts), else that of the movement.
  type text not null check (type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND', 'SPLIT', 'FEE', 'HOLD', 'ADJUSTMENT',
    'REVERSAL', 'SHORTFALL')),
  bucket text not null,
  -- Code of the operation of its movement (src/db/ledger/operation-types.ts) when it was posted.
  operation "char" not null,
  cents bigint not null check (cents <> 0),
  -- The bucket's balance after this posting.
  balance_cents bigint not null,
  -- A line of a statement: a movement may have several.
  uuid uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  foreign key (account_uuid, provider_account_uuid, bucket) references balance,
  -- The service earns fees and nothing else, and a fee never leaves the ledger.
  constraint posting_fee check (case when type = 'FEE' then bucket in ('available', 'provisioned', 'fee') else bucket <> 'fee' end)
) ${FREQUENT_VACUUM};
create index posting_of_movement on posting (movement_uuid);
-- A PIX is one line of one statement, in its own value (\`set_posting_operation\`).
create unique index posting_pix_once on posting (movement_uuid)
  where bucket = 'available' and type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND');
-- The account statement, in the order of its postings, which is what its balances follow; and by day, with all that the
-- balances of a period are made of.
create index posting_available on posting (account_uuid, id)
  include (provider_account_uuid, created_at, type, operation)
  where bucket = 'available';
-- By a type that most lines are not of.
create index posting_available_type on posting (account_uuid, type, id)
  where bucket = 'available' and type <> 'EXTERNAL_TRANSFER';
-- By operations other than charges.
create index posting_available_operation on posting (account_uuid, operation, id)
  where bucket = 'available' and operation <> '${OPERATION_CODES.CHARGE}';
create index posting_available_day on posting (account_uuid, created_at)
  include (provider_account_uuid, id, type, cents, balance_cents)
  where bucket = 'available';`,

  rules: `
alter table movement
  add constraint movement_charge_uuid_fkey foreign key (charge_uuid) references charge,
  -- A transfer and its movement name each other, in either order within a transaction.
  add constraint movement_transfer_uuid_fkey foreign key (transfer_uuid) references transfer
    deferrable initially deferred,
  -- So do a refund and its movement.
  add constraint movement_refund_uuid_fkey foreign key (refund_uuid) references refund deferrable initially deferred,
  add constraint movement_dispute_uuid_fkey foreign key (dispute_uuid) references dispute;

-- An account holds money only where it has a connection, and there it has every bucket from the start, so that no
-- posting inserts a balance.
create function create_balances() returns trigger language plpgsql as $$
begin
  insert into balance (account_uuid, provider_account_uuid, bucket, cents)
  select new.account_uuid, new.provider_account_uuid, name, 0
  from unnest(array['available', 'pending', 'provisioned', 'blocked', 'retained', 'fee', 'shortfall', 'outside']) as name
  on conflict do nothing;
  return null;
end $$;
create trigger connection_balances after insert or update of provider_account_uuid on connection
  for each row execute function create_balances();

-- The postings of a movement add up to zero at each provider account, its fee by itself: money is neither made nor lost,
-- and no value becomes a fee.
create function check_postings_balance() returns trigger language plpgsql as $$
begin
  if exists (select from written group by movement_uuid, provider_account_uuid, type having sum(cents) <> 0) then
    raise exception 'the postings of a movement do not add up to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger posting_balanced after insert on posting referencing new table as written
  for each statement execute function check_postings_balance();

-- A posting stores the operation that its movement has at that time, and is of the movement's provider account, so that no
-- movement changes balances of another one, or of the other mode. The line of a PIX has its value.
create function set_posting_operation() returns trigger language plpgsql as $$
declare
  line_cents bigint;
begin
  select ${OPERATION_CODE_SQL}, case m.movement_type when 'IN' then m.value_cents else -m.value_cents end
    into new.operation, line_cents from movement m
    where m.uuid = new.movement_uuid and m.provider_account_uuid = new.provider_account_uuid;
  if not found then
    raise exception 'a posting at another provider account than its movement' using errcode = 'check_violation',
      constraint = 'posting_provider_account';
  end if;
  if new.bucket = 'available' and new.type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND') and new.cents <> line_cents then
    raise exception 'the line of a PIX has its value: movement %', new.movement_uuid
      using errcode = 'check_violation', constraint = 'posting_pix_value';
  end if;
  return new;
end $$;
create trigger posting_operation before insert on posting for each row execute function set_posting_operation();

-- The ledger is append-only.
create trigger posting_immutable before update or delete or truncate on posting
  for each statement execute function refuse_change();

-- What has moved stays as it is. An end-to-end id may be learned late; one that failed leaves its id to what came after all.
create trigger movement_fixed before update on movement for each row
  when (old.value_cents <> new.value_cents or old.type <> new.type or old.movement_type <> new.movement_type
    or old.account_uuid <> new.account_uuid or old.provider_account_uuid <> new.provider_account_uuid
    or (old.status = 'SETTLED' and new.end_to_end is distinct from coalesce(old.end_to_end, new.end_to_end)))
  execute function refuse();
${TRANSITIONS}

-- A payer or receiver that was erased is not written again by what a provider reports later.
create function keep_erased_party() returns trigger language plpgsql as $$
begin
  if is_erased(old.sender ->> 'document') then new.sender = old.sender; end if;
  if is_erased(old.receiver ->> 'document') then new.receiver = old.receiver; end if;
  return new;
end $$;
create trigger movement_party_erased before update of sender, receiver on movement for each row
  when (is_erased(old.sender ->> 'document') or is_erased(old.receiver ->> 'document'))
  execute function keep_erased_party();

-- We return a PIX that pays no charge in whole: no more than was received, and no part of it. The payment of a charge is refunded.
create function check_own_return() returns trigger language plpgsql as $$
begin
  if not exists (select from movement m where m.uuid = new.original_uuid and m.movement_type = 'IN'
    and m.value_cents = new.value_cents and m.account_uuid = new.account_uuid
    and m.provider_account_uuid = new.provider_account_uuid
    and not exists (select from charge c where c.movement_uuid = m.uuid)) then
    raise exception 'movement % returns another value than was received, or a payment', new.uuid
      using errcode = 'check_violation', constraint = 'movement_own_return';
  end if;
  return new;
end $$;
create trigger movement_own_return before insert on movement for each row
  when (new.type = 'EXTERNAL_REFUND' and new.movement_type = 'OUT' and new.original_uuid is not null
    and new.refund_uuid is null and new.dispute_uuid is null and new.reason is null)
  execute function check_own_return();

-- No more comes back of a transfer than went: what its receiver returns, and what a dispute recovers from other banks.
create function check_transfer_returned() returns trigger language plpgsql as $$
begin
  if (select sum(value_cents) filter (where movement_type = 'IN') > sum(value_cents) filter (where movement_type = 'OUT')
      from movement where transfer_uuid = new.transfer_uuid and status = 'SETTLED'
        and type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND')) then
    raise exception 'more comes back of transfer % than was sent', new.transfer_uuid
      using errcode = 'check_violation', constraint = 'movement_transfer_returned';
  end if;
  return null;
end $$;
create constraint trigger movement_transfer_returned after insert or update of transfer_uuid, status on movement
  deferrable initially deferred for each row when (new.transfer_uuid is not null and new.movement_type = 'IN')
  execute function check_transfer_returned();
-- Only money that comes back of a transfer is tied to a dispute that the account has requested about it.
create function check_recovered_movement() returns trigger language plpgsql as $$
begin
  if exists (select from dispute d where d.uuid = new.dispute_uuid and d.kind = 'REQUESTED_MED'
             and (new.movement_type <> 'IN' or new.transfer_uuid is distinct from d.transfer_uuid)) then
    raise exception 'movement % is not recovered by dispute %', new.uuid, new.dispute_uuid
      using errcode = 'check_violation', constraint = 'movement_recovered';
  end if;
  return null;
end $$;
create constraint trigger movement_recovered after insert or update of dispute_uuid, transfer_uuid on movement
  deferrable initially deferred for each row when (new.dispute_uuid is not null) execute function check_recovered_movement();

-- What has settled is booked. A hold may pass from one dispute to another without a posting.
create function check_movement_booked() returns trigger language plpgsql as $$
begin
  if not exists (select from posting where movement_uuid = new.uuid) then
    raise exception 'movement % has settled and is not booked', new.uuid
      using errcode = 'check_violation', constraint = 'movement_booked';
  end if;
  return null;
end $$;
create constraint trigger movement_booked after insert or update of status on movement
  deferrable initially deferred for each row when (new.status = 'SETTLED' and new.type <> 'HOLD')
  execute function check_movement_booked();`,
}
