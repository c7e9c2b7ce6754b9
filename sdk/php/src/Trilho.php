<?php

declare(strict_types=1);

namespace Trilho;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Trilho\Internal\Transport;
use Trilho\Resource\Resources;

/** The client of an account. Its token is not part of what it prints. */
final class Trilho extends Resources
{
    /** That of the API. */
    public const VERSION = '0.1.0';

    /**
     * @param string $token An access token of the account.
     * @param string $baseUrl The address of the API, with or without `/api/v1`.
     * @param ClientInterface $client Sends the requests, and follows no redirects. The time of one attempt is a setting of
     *     it: a provider may need some seconds to answer the API, so give it 30.
     * @param ?RetryPolicy $retries When a call is repeated. One that creates or moves something is repeated with the same key.
     * @param ?\Closure(ResponseInfo): mixed $onResponse Receives what the headers of each response say, before the call
     *     returns. What it throws is ignored.
     */
    public function __construct(
        #[\SensitiveParameter] string $token,
        string $baseUrl,
        ClientInterface $client,
        RequestFactoryInterface $requestFactory,
        StreamFactoryInterface $streamFactory,
        ?RetryPolicy $retries = null,
        ?\Closure $onResponse = null,
    ) {
        if (!preg_match('/^[\x21-\x7e]+$/D', $token)) {
            throw new \InvalidArgumentException(
                'The token must be an access token: printable characters without blanks.',
            );
        }
        if (!preg_match('#^https?://[^/?\#@\s]+(?:/[^?\#@\s]*)?$#D', $baseUrl)) {
            throw new \InvalidArgumentException(
                'The base URL must be the address of the API, for example https://pix.example.com.',
            );
        }
        $address = preg_replace('#/api/v1$#D', '', rtrim($baseUrl, '/'));
        parent::__construct(new Transport(
            $token,
            (string) $address,
            $client,
            $requestFactory,
            $streamFactory,
            $retries ?? new RetryPolicy(),
            $onResponse,
        ));
    }

    /**
     * Makes the client of the account whose token is in `TRILHO_TOKEN`, at the address in `TRILHO_BASE_URL`.
     *
     * @param ?\Closure(ResponseInfo): mixed $onResponse
     */
    public static function fromEnvironment(
        ClientInterface $client,
        RequestFactoryInterface $requestFactory,
        StreamFactoryInterface $streamFactory,
        ?RetryPolicy $retries = null,
        ?\Closure $onResponse = null,
    ): self {
        return new self(
            (string) getenv('TRILHO_TOKEN'),
            (string) getenv('TRILHO_BASE_URL'),
            $client,
            $requestFactory,
            $streamFactory,
            $retries,
            $onResponse,
        );
    }
}
