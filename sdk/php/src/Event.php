<?php

declare(strict_types=1);

namespace Trilho;

use Trilho\Internal\Read;
use Trilho\Model\EventData;

/** An event, as a webhook brings it and `$trilho->events` lists it. It may come again, with the same id. */
final class Event
{
    public readonly string $id;

    public readonly string $type;

    public readonly \DateTimeImmutable $timestamp;

    /**
     * The resource as its GET showed it then: a Model\PaymentEventData, TransferEventData, RefundEventData and so on, by
     * the type; an array where this version does not know the type.
     *
     * @var object|array<string, mixed>
     */
    public readonly object|array $data;

    /** @param array<string, mixed> $event */
    public function __construct(array $event)
    {
        $this->id = Read::text($event['id'] ?? null);
        $this->type = Read::text($event['type'] ?? null);
        $this->timestamp = Read::time($event['timestamp'] ?? null);
        $this->data = EventData::of($this->type, Read::object($event['data'] ?? null));
    }
}
