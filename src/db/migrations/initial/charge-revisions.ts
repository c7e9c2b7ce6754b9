import type { SchemaPart } from './schema-part.ts'
import { createTransitionTrigger } from './trigger-functions.ts'

/** What a revision may become, as in `src/domain/charges/charge-revision.ts`. */
const TRANSITIONS = createTransitionTrigger('charge_revision', { requested: 'revised refused' }, 'status')

/** Revisions of charges with a due date, and retries of debits: each is stored before its provider is called (SPEC §2). */
export const chargeRevisions: SchemaPart = {
  tables: `
create table charge_revision (
  -- Follows from the Idempotency-Key of its request.
  uuid uuid primary key,
  charge_uuid uuid not null references charge,
  number int not null check (number > 0),
  status text not null check (status in ('requested', 'revised', 'refused', 'unchanged')),
  -- What the charge asks once its provider has accepted the revision.
  value_cents bigint not null check (value_cents between 1 and 999999999999),
  fee_cents bigint not null check (fee_cents >= 0),
  total_cents bigint not null constraint charge_revision_total check (total_cents = value_cents + fee_cents),
  due jsonb,
  -- Of a debit: the day of the retry, which changes nothing of the charge.
  retry_on text check (retry_on ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  constraint charge_revision_kind check ((due is null) = (retry_on is not null)),
  message varchar(140),
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- One revision of a charge is under way at a time,
create unique index charge_revision_open on charge_revision (charge_uuid) where status = 'requested';
-- and a number names one that its provider has accepted, or may accept.
create unique index charge_revision_number on charge_revision (charge_uuid, number) where status in ('requested', 'revised');`,

  rules: `${TRANSITIONS}
-- What was requested of the provider stays as it was requested: it is requested again where no answer came.
create trigger charge_revision_fixed before update on charge_revision for each row
  when ((old.charge_uuid, old.number, old.value_cents, old.fee_cents, old.total_cents, old.due, old.retry_on, old.fingerprint)
    is distinct from (new.charge_uuid, new.number, new.value_cents, new.fee_cents, new.total_cents, new.due, new.retry_on, new.fingerprint)
    -- An erasure removes the text, once its provider has answered.
    or (old.message is distinct from new.message and (new.message is not null or new.status = 'requested')))
  execute function refuse();

-- A retry is of a debit, after its due day and within the seven days that the payer has authorized.
create function check_charge_retry() returns trigger language plpgsql as $$
begin
  if not exists (select from charge c join recurrence r on r.uuid = c.recurrence_uuid
    where c.uuid = new.charge_uuid and r.retry_policy = 'THREE_IN_SEVEN_DAYS'
      and new.retry_on::date between c.debit_on::date + 1 and c.debit_on::date + 7
      and (select count(*) from charge_revision o where o.charge_uuid = c.uuid and o.status in ('requested', 'revised')
        and o.uuid <> new.uuid) < 3) then
    raise exception 'charge % is not retried on %', new.charge_uuid, new.retry_on
      using errcode = 'check_violation', constraint = 'charge_retry_allowed', table = 'charge_revision';
  end if;
  return new;
end $$;
create trigger charge_retry_allowed before insert on charge_revision for each row
  when (new.retry_on is not null) execute function check_charge_retry();

-- A charge asks what its last revision does, which its provider has accepted.
create function check_charge_revision() returns trigger language plpgsql as $$
begin
  if exists (
    select from charge c where c.uuid = new.uuid and c.revision > 0 and not exists (
      select from charge_revision r where r.charge_uuid = c.uuid and r.number = c.revision and r.status = 'revised'
        and r.value_cents = c.value_cents and r.total_cents = c.total_cents and r.due = c.due)
  ) then
    raise exception 'charge % asks something else than its last revision', new.uuid
      using errcode = 'check_violation', constraint = 'charge_revision_kept';
  end if;
  return null;
end $$;
create constraint trigger charge_revision_kept after update of revision, value_cents, total_cents, due on charge
  deferrable initially deferred for each row when (new.revision > 0) execute function check_charge_revision();`,
}
