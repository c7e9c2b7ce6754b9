import type { SchemaPart } from './schema-part.ts'

/** Orders of accounts by which a deposit has become the payment of a static code (SPEC §2). */
export const depositAssignments: SchemaPart = {
  tables: `
create table deposit_assignment (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  movement_uuid uuid not null references movement,
  qr_code_uuid uuid not null references qr_code,
  charge_uuid uuid not null references charge,
  -- The token whose request created it, or the user of the dashboard.
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  -- A deposit is assigned at most once,
  constraint deposit_assignment_once unique (movement_uuid),
  -- and a charge is paid by one.
  constraint deposit_assignment_charge_once unique (charge_uuid)
);`,

  rules: `
-- At the end of the transaction the deposit is the payment of a charge of the code, all of one account and provider account, in the
-- value and to the key of the code. Nothing of it was returned, or is claimed by an open dispute.
create function check_deposit_assignment() returns trigger language plpgsql as $$
begin
  if not exists (select from movement m
    join charge c on c.uuid = new.charge_uuid and c.movement_uuid = m.uuid
    join qr_code q on q.uuid = new.qr_code_uuid and q.uuid = c.qr_code_uuid
    where m.uuid = new.movement_uuid and m.charge_uuid = c.uuid and m.reason is null and m.disposition is null
      and m.movement_type = 'IN' and m.type = 'EXTERNAL_TRANSFER' and m.status = 'SETTLED'
      and m.account_uuid = new.account_uuid and c.account_uuid = new.account_uuid and q.account_uuid = new.account_uuid
      and c.provider_account_uuid = m.provider_account_uuid and q.pix_key = m.pix_key
      and (q.value_cents is null or q.value_cents + q.fee_cents = m.value_cents) and c.received_cents = m.value_cents
  ) then
    raise exception 'deposit % does not pay the code that it is assigned to', new.movement_uuid
      using errcode = 'check_violation', constraint = 'deposit_assignment_pays';
  end if;
  if exists (select from movement back
    where back.original_uuid = new.movement_uuid and back.type = 'EXTERNAL_REFUND' and back.status <> 'FAILED'
  ) or exists (select from dispute d where d.movement_uuid = new.movement_uuid and d.state in ('open', 'analysing', 'accepted')
  ) or exists (select from deposit_return r where r.movement_uuid = new.movement_uuid and r.held_at is not null) then
    raise exception 'deposit % is returned or disputed', new.movement_uuid
      using errcode = 'check_violation', constraint = 'deposit_assignment_free';
  end if;
  return null;
end $$;
create constraint trigger deposit_assignment_pays after insert on deposit_assignment
  deferrable initially deferred for each row execute function check_deposit_assignment();
create trigger deposit_assignment_kept before update or delete on deposit_assignment
  for each statement execute function refuse_change();`,
}
