<?php

declare(strict_types=1);

/** A MariaDB of its own in a new folder, and WordPress from Debian on it; both are gone when the process ends. */

$wordpress = rtrim(getenv('WORDPRESS_DIR') ?: '/usr/share/wordpress', '/');
$mariadbd = getenv('MARIADBD') ?: '/usr/sbin/mariadbd';
$folder = sys_get_temp_dir() . '/trilho-pix-' . bin2hex(random_bytes(6));
mkdir("{$folder}/data", 0700, true);
mkdir("{$folder}/content/plugins", 0700, true);

$base = dirname($mariadbd, 2);
$server = proc_open(
    [
        $mariadbd, '--no-defaults', '--skip-grant-tables', '--skip-networking', "--basedir={$base}", "--datadir={$folder}/data",
        "--socket={$folder}/socket", "--lc-messages-dir={$base}/share/mysql", '--innodb-buffer-pool-size=16M',
        '--innodb-log-file-size=8M', '--innodb-flush-log-at-trx-commit=0',
        ...(function_exists('posix_getuid') && posix_getuid() === 0 ? ['--user=root'] : []),
    ],
    [['file', '/dev/null', 'r'], ['file', "{$folder}/log", 'w'], ['file', "{$folder}/log", 'a']],
    $pipes,
);
register_shutdown_function(static function () use (&$server, $folder): void {
    proc_terminate($server, 9);
    proc_close($server);
    $files = new RecursiveIteratorIterator(
        new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS),
        RecursiveIteratorIterator::CHILD_FIRST,
    );
    foreach ($files as $file) {
        $file->isDir() && !$file->isLink() ? rmdir($file->getPathname()) : unlink($file->getPathname());
    }
    rmdir($folder);
});

mysqli_report(MYSQLI_REPORT_OFF);
$endsAt = time() + 60;
while (!($connection = @mysqli_connect('', 'root', '', '', 0, "{$folder}/socket"))) {
    if (time() > $endsAt || !proc_get_status($server)['running']) {
        fwrite(STDERR, (string) file_get_contents("{$folder}/log"));
        exit(1);
    }
    usleep(200_000);
}
mysqli_query($connection, 'CREATE DATABASE wordpress CHARACTER SET utf8mb4');
mysqli_close($connection);

$_SERVER += ['HTTP_HOST' => 'shop.example.com', 'SERVER_NAME' => 'shop.example.com', 'REQUEST_URI' => '/', 'REQUEST_METHOD' => 'GET'];
$_SERVER += ['SERVER_PROTOCOL' => 'HTTP/1.1', 'REMOTE_ADDR' => '127.0.0.1'];
foreach (
    [
        'ABSPATH' => "{$wordpress}/", 'DB_NAME' => 'wordpress', 'DB_USER' => 'root', 'DB_PASSWORD' => '', 'DB_CHARSET' => 'utf8mb4',
        'DB_COLLATE' => '', 'DB_HOST' => "localhost:{$folder}/socket", 'WP_CONTENT_DIR' => "{$folder}/content",
        'WP_CONTENT_URL' => 'https://shop.example.com/wp-content', 'WP_INSTALLING' => true, 'WP_DEBUG' => false,
        'WP_HTTP_BLOCK_EXTERNAL' => true, 'DISABLE_WP_CRON' => true,
        'AUTH_KEY' => 'a', 'SECURE_AUTH_KEY' => 'b', 'LOGGED_IN_KEY' => 'c', 'NONCE_KEY' => 'd',
        'AUTH_SALT' => 'e', 'SECURE_AUTH_SALT' => 'f', 'LOGGED_IN_SALT' => 'g', 'NONCE_SALT' => 'h',
    ] as $name => $value
) {
    define($name, $value);
}
$table_prefix = 'wp_';
