<?php
/**
 * Plugin Name: pathmend
 * Description: Answers dead links with the pages that were meant, and tells pathmend of each page that changes.
 * Version: 1.0.0
 * Requires at least: 5.6
 * Requires PHP: 7.4
 * License: Apache-2.0
 *
 * Settings are constants of wp-config.php: README.md lists them.
 */

namespace Pathmend;

if (!defined('ABSPATH')) {
    exit;
}

/** Rows of the options table that say what is to be pushed: `p12` a post by its id, `d…` a url that is gone. */
const TODO = 'pathmend_todo_';
const PUSH = 'pathmend_push';
/** The url under which pathmend knows a post. */
const PUSHED_URL = '_pathmend_url';
/** Of one request: the API takes 2 MB, and as many pages at once as the project's rate has tokens. */
const MAX_ITEMS = 10;
const MAX_BYTES = 1000000;
const MAX_CHARACTERS = 240000;
/** Of one run of wp-cron, which PHP may end after 30. */
const PUSH_SECONDS = 20;
/** Seconds until pathmend is asked again after it did not answer. */
const PAUSE = 10;
/** The header of each question, by which the plugin knows its own. */
const LOOP = 'X-Pathmend-Plugin';
/** What no page is: such a 404 is not worth a question. */
const FILES = '/\.(?:css|js|map|json|xml|txt|ico|png|jpe?g|gif|webp|avif|svg|woff2?|ttf|mp4|zip)(?:[?#]|$)/i';

function setting(string $name, $default = '')
{
    return defined("PATHMEND_$name") ? constant("PATHMEND_$name") : $default;
}

function is_ready(): bool
{
    return setting('URL') !== '' && setting('KEY') !== '';
}

/** One request to pathmend. It may take so many seconds, which are also held below one, where cURL would take one. */
function request(string $method, string $path, ?array $body, float $seconds, array $more = [])
{
    $limit = static function ($handle) use ($seconds): void {
        curl_setopt($handle, CURLOPT_NOSIGNAL, true);
        curl_setopt($handle, CURLOPT_CONNECTTIMEOUT_MS, (int) ($seconds * 1000));
        curl_setopt($handle, CURLOPT_TIMEOUT_MS, (int) ($seconds * 1000));
    };
    add_action('http_api_curl', $limit);
    $answer = wp_remote_request(rtrim(setting('URL'), '/') . $path, array_replace_recursive([
        'method' => $method,
        'timeout' => $seconds,
        'redirection' => 0,
        'limit_response_size' => 1048576,
        'headers' => [
            'Authorization' => 'Bearer ' . setting('KEY'),
            'Content-Type' => 'application/json',
            LOOP => '1',
        ],
        'body' => $body === null ? null : wp_json_encode($body, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES),
    ], $more));
    remove_action('http_api_curl', $limit);
    return $answer;
}

// ---- A 404 --------------------------------------------------------------------------------------------------------

/** What pathmend found for this request: a list of url, title and score. */
final class Found
{
    /** @var array<int, array{url: string, title: string, score: float, href: string}> */
    public static array $suggestions = [];
    public static bool $shown = false;
}

/** After WordPress has looked for old slugs and near ones. */
add_action('template_redirect', __NAMESPACE__ . '\\answer_missing', 20);
function answer_missing(): void
{
    $method = $_SERVER['REQUEST_METHOD'] ?? '';
    $path = (string) ($_SERVER['REQUEST_URI'] ?? '');
    if (!is_404() || !is_ready() || !in_array($method, ['GET', 'HEAD'], true) || preg_match(FILES, $path)) {
        return;
    }
    // PATHMEND_URL leads to this site itself: each question would ask the next.
    if (isset($_SERVER['HTTP_' . strtoupper(strtr(LOOP, '-', '_'))])) {
        return;
    }
    // Our outage never slows the site: it costs one visitor the time budget now and then.
    if (get_transient('pathmend_down')) {
        return;
    }
    $query = ['url' => origin() . $path];
    if (isset($_SERVER['HTTP_REFERER'])) {
        $query['referrer'] = substr((string) $_SERVER['HTTP_REFERER'], 0, 2000);
    }
    $answer = request('GET', '/v1/not-found?' . http_build_query($query), null, setting('TIMEOUT_MS', 300) / 1000, [
        'user-agent' => substr((string) ($_SERVER['HTTP_USER_AGENT'] ?? ''), 0, 1000),
        'headers' => ['Accept' => 'application/json', 'X-Forwarded-For' => $_SERVER['REMOTE_ADDR'] ?? ''],
    ]);
    $status = (int) wp_remote_retrieve_response_code($answer);
    // A proxy that redirects pathmend's own address does not vary by the key.
    $is_ours = stripos(implode(',', (array) wp_remote_retrieve_header($answer, 'vary')), 'authorization') !== false;
    if ($status >= 301 && $status <= 308 && $is_ours) {
        // Other hosts need WordPress's filter allowed_redirect_hosts.
        $target = wp_validate_redirect((string) wp_remote_retrieve_header($answer, 'location'), '');
        if ($target !== '') {
            nocache_headers();
            // A rule has its own code.
            wp_redirect($target, $status, 'pathmend');
            exit;
        }
        return;
    }
    if (!in_array($status, [404, 410, 451], true)) {
        if ($status !== 400) {
            set_transient('pathmend_down', 1, PAUSE);
        }
        return;
    }
    if ($status !== 404) {
        status_header($status);
    }
    $details = json_decode(wp_remote_retrieve_body($answer), true)['error']['details'] ?? [];
    foreach ((array) ($details['suggestions'] ?? []) as $at => $one) {
        if (!isset($one['url'], $one['title']) || $one['url'][0] !== '/') {
            continue;
        }
        $one['href'] = click_link([$one['url'], $at + 1, $path, (string) ($details['search_id'] ?? '')]);
        Found::$suggestions[] = $one;
    }
    Found::$suggestions = (array) apply_filters('pathmend_suggestions', Found::$suggestions, $path);
}

/** Scheme and host of the site, of which paths are. */
function origin(): string
{
    return (string) preg_replace('#^(https?://[^/]+).*$#', '$1', home_url('/'));
}

/** The list, once: where the theme asks for it, else before its search form. */
function suggestions_html(): string
{
    if (!is_404() || Found::$shown || !Found::$suggestions) {
        return '';
    }
    Found::$shown = true;
    $html = '<nav class="pathmend"><p>' . esc_html__('You may be looking for:', 'pathmend') . '</p><ul>';
    foreach (Found::$suggestions as $one) {
        $html .= '<li><a rel="nofollow" href="' . esc_url($one['href']) . '">' . esc_html($one['title']) . '</a></li>';
    }
    return (string) apply_filters('pathmend_suggestions_html', "$html</ul></nav>", Found::$suggestions);
}

function before_search_form($html): string
{
    return suggestions_html() . $html;
}

add_shortcode('pathmend', __NAMESPACE__ . '\\suggestions_html');
add_filter('get_search_form', __NAMESPACE__ . '\\before_search_form');
add_filter('render_block_core/search', __NAMESPACE__ . '\\before_search_form');

/** A link over the site that tells pathmend of the click. It is signed, so that it leads nowhere else. */
function click_link(array $click): string
{
    $text = rtrim(strtr(base64_encode((string) wp_json_encode($click)), '+/', '-_'), '=');
    return add_query_arg('pathmend_click', $text . '.' . sign($text), home_url('/'));
}

function sign(string $text): string
{
    return hash_hmac('sha256', "pathmend click $text", wp_salt('auth'));
}

add_action('init', __NAMESPACE__ . '\\follow_click');
function follow_click(): void
{
    $given = $_GET['pathmend_click'] ?? null;
    if (!is_string($given) || !is_ready()) {
        return;
    }
    [$text, $signature] = array_pad(explode('.', $given, 2), 2, '');
    $click = hash_equals(sign($text), $signature) ? json_decode((string) base64_decode(strtr($text, '-_', '+/')), true) : null;
    if (!is_array($click) || count($click) !== 4) {
        return;
    }
    [$url, $rank, $path, $search] = $click;
    if ($search !== '' && ($_SERVER['REQUEST_METHOD'] ?? '') === 'GET' && !get_transient('pathmend_down')) {
        request('POST', '/v1/events', [
            'clicked_url' => $url,
            'clicked_rank' => $rank,
            'raw_path' => $path,
            'search_id' => $search,
        ], setting('TIMEOUT_MS', 300) / 1000, ['blocking' => false]);
    }
    nocache_headers();
    header('X-Robots-Tag: noindex');
    wp_redirect(origin() . $url, 302, 'pathmend');
    exit;
}

// ---- Pages that change --------------------------------------------------------------------------------------------

function post_types(): array
{
    $types = get_post_types(['public' => true]);
    unset($types['attachment']);
    return (array) apply_filters('pathmend_post_types', array_values($types));
}

function is_pushed(?\WP_Post $post): bool
{
    return $post && $post->post_status === 'publish' && $post->post_password === ''
        && in_array($post->post_type, post_types(), true);
}

/** Saving a post only writes one row: wp-cron pushes it a moment later, and again until pathmend has it. */
add_action('wp_after_insert_post', __NAMESPACE__ . '\\remember_post', 10, 2);
function remember_post(int $id, \WP_Post $post): void
{
    if (is_pushed($post) || get_post_meta($id, PUSHED_URL, true)) {
        remember("p$id", uniqid('', true));
    }
}

add_action('before_delete_post', __NAMESPACE__ . '\\remember_url');
function remember_url(int $id): void
{
    $url = (string) get_post_meta($id, PUSHED_URL, true);
    if ($url !== '') {
        remember('d' . md5($url), $url);
    }
}

function remember(string $name, string $value): void
{
    global $wpdb;
    // Past WordPress's cache of options: two processes may write and read at once.
    $wpdb->query($wpdb->prepare(
        "INSERT INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'no')
         ON DUPLICATE KEY UPDATE option_value = VALUES(option_value)",
        TODO . $name,
        $value
    ));
    schedule(0);
}

/** All pages, as when the plugin is new. */
function remember_all(): void
{
    global $wpdb;
    $types = post_types();
    if (!$types) {
        return;
    }
    $places = implode(', ', array_fill(0, count($types), '%s'));
    $wpdb->query($wpdb->prepare(
        "INSERT IGNORE INTO $wpdb->options (option_name, option_value, autoload)
         SELECT CONCAT(%s, ID), '1', 'no' FROM $wpdb->posts
         WHERE post_status = 'publish' AND post_password = '' AND post_type IN ($places)",
        array_merge([TODO . 'p'], $types)
    ));
    schedule(0);
}

function schedule(int $seconds): void
{
    $next = wp_next_scheduled(PUSH);
    if ($next === false || $next > time() + $seconds) {
        wp_clear_scheduled_hook(PUSH);
        wp_schedule_single_event(time() + $seconds, PUSH);
    }
}

/** The next rows. */
function todo(int $limit): array
{
    global $wpdb;
    return (array) $wpdb->get_results($wpdb->prepare(
        "SELECT option_name AS name, option_value AS value FROM $wpdb->options
         WHERE option_name LIKE %s ORDER BY option_id LIMIT %d",
        $wpdb->esc_like(TODO) . '%',
        $limit
    ));
}

function forget(string $name, ?string $value = null): void
{
    global $wpdb;
    // A row that was written again meanwhile stays.
    $where = $value === null ? ['option_name' => $name] : ['option_name' => $name, 'option_value' => $value];
    $wpdb->delete($wpdb->options, $where);
}

add_action(PUSH, __NAMESPACE__ . '\\push');
function push(): void
{
    $until = microtime(true) + PUSH_SECONDS;
    while (push_some() && microtime(true) < $until);
}

/** Pushes some rows; whether more may follow at once. */
function push_some(): bool
{
    $rows = is_ready() ? todo(MAX_ITEMS) : [];
    if (!$rows) {
        return false;
    }
    // Should this run be ended before its time.
    schedule(600);
    $pages = $deleted = $done = $moved = [];
    $bytes = 0;
    foreach ($rows as $row) {
        // A post that was renamed is two of them.
        if (count($pages) + count($deleted) > MAX_ITEMS - 2) {
            break;
        }
        $what = substr($row->name, strlen(TODO));
        if ($what[0] === 'd') {
            $deleted[] = $row->value;
        } else {
            $id = (int) substr($what, 1);
            $post = get_post($id);
            $known = (string) get_post_meta($id, PUSHED_URL, true);
            $page = is_pushed($post) ? page_of($post) : null;
            if ($page) {
                $bytes += strlen((string) wp_json_encode($page, JSON_UNESCAPED_UNICODE));
                if ($pages && $bytes > MAX_BYTES) {
                    break;
                }
                $pages[] = $page;
            }
            if ($known !== '' && $known !== ($page['url'] ?? '')) {
                $deleted[] = $known;
            }
            $moved[$id] = [$known, $page['url'] ?? ''];
        }
        $done[] = $row;
    }
    $deleted = array_values(array_diff(array_unique($deleted), array_column($pages, 'url')));
    $answer = $pages || $deleted ? request('POST', '/v1/pages/batch', ['pages' => $pages, 'delete' => $deleted], 30) : null;
    $status = $answer === null ? 200 : (int) wp_remote_retrieve_response_code($answer);
    $body = $answer === null ? [] : json_decode(wp_remote_retrieve_body($answer), true);
    $wait = (int) wp_remote_retrieve_header($answer, 'retry-after');
    if ($status === 429 && $wait > 0 && $wait <= 5) {
        sleep($wait);
        return true;
    }
    if ($status !== 200 || !is_array($body)) {
        $failures = (int) get_option('pathmend_failures', 0) + 1;
        update_option('pathmend_failures', $failures, false);
        $reason = is_wp_error($answer) ? $answer->get_error_message() : ($body['error']['message'] ?? "status $status");
        update_option('pathmend_last_error', gmdate('c') . ' ' . $reason, false);
        wp_clear_scheduled_hook(PUSH);
        schedule((int) min(3600, 30 * 2 ** min($failures - 1, 10)));
        return false;
    }
    if ((int) get_option('pathmend_failures', 0) > 0) {
        update_option('pathmend_failures', 0, false);
        delete_option('pathmend_last_error');
    }
    // A page that pathmend refuses is refused again, until it changes.
    foreach ((array) ($body['results'] ?? []) as $result) {
        if (isset($result['error']['message'])) {
            update_option('pathmend_last_error', gmdate('c') . " {$result['url']}: {$result['error']['message']}", false);
        }
    }
    foreach ($moved as $id => [$known, $url]) {
        if ($url !== '') {
            update_post_meta($id, PUSHED_URL, $url);
            // It was to be deleted, and is here again.
            forget(TODO . 'd' . md5($url));
        } else {
            delete_post_meta($id, PUSHED_URL);
        }
        // The urls of its subpages begin with its own.
        if ($known !== '' && $url !== '' && $known !== $url) {
            foreach (get_children(['post_parent' => $id, 'post_type' => post_types(), 'fields' => 'ids']) as $child) {
                remember("p$child", uniqid('', true));
            }
        }
    }
    foreach ($done as $row) {
        forget($row->name, $row->value);
    }
    wp_clear_scheduled_hook(PUSH);
    if (!todo(1)) {
        return false;
    }
    schedule(0);
    return true;
}

/** A post as pathmend takes it, its title on top of its text; null if it says nothing. */
function page_of(\WP_Post $post): ?array
{
    $before = $GLOBALS['post'] ?? null;
    $GLOBALS['post'] = $post;
    setup_postdata($post);
    $html = (string) apply_filters('the_content', $post->post_content);
    $GLOBALS['post'] = $before;
    wp_reset_postdata();
    $title = plain(get_the_title($post));
    $text = trim("$title\n\n" . plain($html));
    if ($text === '') {
        return null;
    }
    $metadata = ['type' => $post->post_type, 'date' => $post->post_date];
    foreach (['categories' => 'category', 'tags' => 'post_tag'] as $name => $taxonomy) {
        $terms = get_the_terms($post, $taxonomy);
        if (is_array($terms) && $terms) {
            $metadata[$name] = array_map(static fn ($term) => plain($term->name), $terms);
        }
    }
    return [
        'url' => get_permalink($post),
        'title' => $title === '' ? null : mb_substr($title, 0, 1000),
        'content' => mb_substr($text, 0, MAX_CHARACTERS),
        'metadata' => $metadata,
    ];
}

function plain(string $html): string
{
    $html = (string) preg_replace('#</(?:p|div|li|ul|ol|h[1-6]|tr|table|pre|blockquote|section|figcaption)>|<br\s*/?>#i', "$0\n", $html);
    $text = html_entity_decode(wp_strip_all_tags($html), ENT_QUOTES | ENT_HTML5, 'UTF-8');
    return trim((string) preg_replace(["/[ \t\u{A0}]+/u", "/ *\n */", "/\n{3,}/"], [' ', "\n", "\n\n"], $text));
}

register_activation_hook(__FILE__, __NAMESPACE__ . '\\remember_all');
register_deactivation_hook(__FILE__, static function (): void {
    wp_clear_scheduled_hook(PUSH);
});
register_uninstall_hook(__FILE__, __NAMESPACE__ . '\\uninstall');
function uninstall(): void
{
    global $wpdb;
    $wpdb->query($wpdb->prepare("DELETE FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like('pathmend_') . '%'));
    delete_post_meta_by_key(PUSHED_URL);
}

// ---- Tools, pathmend: how it stands -------------------------------------------------------------------------------

add_action('admin_menu', static function (): void {
    add_management_page('pathmend', 'pathmend', 'manage_options', 'pathmend', __NAMESPACE__ . '\\show_state');
});
function show_state(): void
{
    global $wpdb;
    $waiting = (int) $wpdb->get_var($wpdb->prepare(
        "SELECT count(*) FROM $wpdb->options WHERE option_name LIKE %s",
        $wpdb->esc_like(TODO) . '%'
    ));
    echo '<div class="wrap"><h1>pathmend</h1>';
    echo '<p>' . esc_html(is_ready() ? setting('URL') : 'Set PATHMEND_URL and PATHMEND_KEY in wp-config.php.') . '</p>';
    echo '<p>' . esc_html(sprintf('%d pages wait to be pushed.', $waiting)) . '</p>';
    echo '<p>' . esc_html((string) get_option('pathmend_last_error', '')) . '</p>';
    echo '<form method="post" action="' . esc_url(admin_url('admin-post.php')) . '">';
    wp_nonce_field('pathmend_push_all');
    echo '<input type="hidden" name="action" value="pathmend_push_all">';
    submit_button('Push all pages');
    echo '</form></div>';
}

add_action('admin_post_pathmend_push_all', static function (): void {
    if (!current_user_can('manage_options')) {
        wp_die('You may not do that.', '', ['response' => 403]);
    }
    check_admin_referer('pathmend_push_all');
    remember_all();
    wp_safe_redirect(admin_url('tools.php?page=pathmend'));
    exit;
});
