import type { SchemaPart } from './schema-part.ts'

/** Orders that wait for persons who have not ordered them, and what these have said (src/domain/approvals/approval.ts). */
export const approvals: SchemaPart = {
  tables: `
create table approval_request (
  -- The transfer or the batch that waits.
  subject_uuid uuid primary key,
  subject text not null check (subject in ('transfer', 'batch')),
  account_uuid uuid not null references account,
  -- The person who ordered it: e-mail of a user, or name of an operator.
  maker varchar(254) not null check (maker <> '' and maker = lower(maker)),
  needed smallint not null check (needed in (1, 2)),
  requested_at timestamptz(3) not null,
  expires_at timestamptz not null,
  decision text check (decision in ('approved', 'rejected', 'expired', 'withdrawn')),
  decided_at timestamptz,
  -- The merchant's server that must approve it too, of the limits in force when it was ordered; null: none.
  callout_url text check (length(callout_url) <= 2048),
  callout_requests smallint not null default 0 check (callout_requests between 0 and 3),
  -- When the next request may be made.
  callout_due_at timestamptz,
  -- Why the last request has no answer; null while one is made.
  callout_failure text check (callout_failure in ('callout_timeout', 'callout_unreachable', 'callout_bad_status',
    'callout_bad_answer', 'callout_interrupted')),
  constraint approval_request_callout check ((callout_url is null) = (callout_due_at is null)
    and (callout_url is not null or callout_requests = 0)),
  constraint approval_request_callout_failure check (callout_failure is null or callout_requests > 0),
  constraint approval_request_decided check ((decision is null) = (decided_at is null)),
  constraint approval_request_wait check (expires_at > requested_at)
);
-- What waits, for the inbox of an account.
create index approval_request_waiting on approval_request (account_uuid, requested_at, subject_uuid) where decision is null;

create table approval (
  subject_uuid uuid not null references approval_request,
  verdict text not null check (verdict in ('approve', 'reject')),
  approver varchar(254) not null check (approver <> '' and approver = lower(approver)),
  -- Of a rejection; of the call-out a code.
  reason varchar(500) check (reason <> ''),
  at timestamptz(3) not null,
  -- The same person counts once, whatever it uses.
  constraint approval_once primary key (subject_uuid, verdict, approver),
  constraint approval_reason check (reason is null or verdict = 'reject')
);
-- The first verdict of the call-out stays, whatever a repeated request is answered.
create unique index approval_callout_once on approval (subject_uuid) where approver = 'callout';

-- What signs the call-outs of an account; kept when it has none any more.
create table callout_secret (
  -- The account's.
  uuid uuid primary key references account,
  sealed_secret text not null,
  masked_secret text not null,
  previous_secrets jsonb not null default '[]',
  created_at timestamptz not null,
  constraint callout_secret_previous
    check (jsonb_typeof(previous_secrets) = 'array' and jsonb_array_length(previous_secrets) <= 9)
);`,

  rules: `
-- The person of an order: of its user of the dashboard, or who made its token. A token that no person made is its own.
create function find_maker(token int, app_user uuid) returns text stable language sql as $$
  select coalesce((select email from app_user u where u.uuid = $2),
    (select coalesce(author, 'token ' || number) from token where number = $1))
$$;

-- Who has ordered it does not approve or reject it, nothing is said about what does not wait, and a call-out is answered that was
-- requested. The lock orders parallel verdicts.
create function check_approval() returns trigger language plpgsql as $$
declare
  request approval_request;
begin
  select * into request from approval_request where subject_uuid = new.subject_uuid for no key update;
  if request.maker = new.approver and new.approver <> 'callout' then
    raise exception 'the maker of % cannot decide about it', new.subject_uuid
      using errcode = 'check_violation', constraint = 'approval_not_by_maker', table = tg_table_name;
  end if;
  if request.decision is not null or request.expires_at <= new.at then
    raise exception '% waits for no approval', new.subject_uuid
      using errcode = 'check_violation', constraint = 'approval_while_waiting', table = tg_table_name;
  end if;
  if new.approver = 'callout' and request.callout_requests = 0 then
    raise exception 'no call-out about % was requested', new.subject_uuid
      using errcode = 'check_violation', constraint = 'approval_callout_requested', table = tg_table_name;
  end if;
  return new;
end $$;
create trigger approval_not_by_maker before insert on approval for each row execute function check_approval();
create trigger approval_immutable before update or delete or truncate on approval
  for each statement execute function refuse_change();

-- It is approved by as many persons as it needs, and by the call-out where it has one; it is rejected by one of them. A decision stays as
-- it is, and so does what it needs; requests of the call-out are counted one by one.
create function check_approval_decision() returns trigger language plpgsql as $$
declare
  persons int := (select count(*) from approval where subject_uuid = new.subject_uuid and verdict = 'approve'
    and approver <> 'callout');
begin
  if old.decision is not null
    or (new.subject, new.account_uuid, new.maker, new.needed, new.requested_at, new.expires_at, new.callout_url)
      is distinct from (old.subject, old.account_uuid, old.maker, old.needed, old.requested_at, old.expires_at, old.callout_url)
    or new.callout_requests not in (old.callout_requests, old.callout_requests + 1)
    or new.decision = 'approved' and persons < new.needed
    or new.decision = 'approved' and new.callout_url is not null and not exists (select from approval
      where subject_uuid = new.subject_uuid and verdict = 'approve' and approver = 'callout')
    or new.decision = 'rejected' and not exists (select from approval
      where subject_uuid = new.subject_uuid and verdict = 'reject')
  then
    raise exception 'the decision about % is not what was said', new.subject_uuid
      using errcode = 'check_violation', constraint = 'approval_request_decision', table = tg_table_name;
  end if;
  return new;
end $$;
create trigger approval_request_decision before update on approval_request for each row
  execute function check_approval_decision();
create trigger approval_request_undecided before insert on approval_request for each row
  when (new.decision is not null) execute function refuse();

-- An order that waits has a call-out where the limits in force have one.
create function check_approval_callout() returns trigger language plpgsql as $$
begin
  if limits_in_force(new.account_uuid) -> 'approvals' ->> 'calloutUrl' is null then return new; end if;
  raise exception '% needs a call-out', new.subject_uuid
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
create trigger approval_request_with_callout before insert on approval_request for each row
  when (new.callout_url is null) execute function check_approval_callout();`,
}
