/** The table of the well-known pattern, as a database that has it by hand holds it before Redrive comes. */
export const ARTICLE_TABLE = `CREATE TABLE t_retry_task (
  id                   bigint      NOT NULL AUTO_INCREMENT,
  event_type           varchar(64) NOT NULL,
  biz_key              varchar(64) NOT NULL,
  biz_context          text        NOT NULL,
  status               tinyint     NOT NULL,
  retry_count          int         NOT NULL DEFAULT 0,
  max_retry_count      int         NOT NULL,
  retry_strategy       varchar(32) NOT NULL,
  first_retry_interval int         NOT NULL,
  next_retry_time      datetime(3) NOT NULL,
  ip                   varchar(40) DEFAULT NULL,
  create_time          datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  update_time          datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY uk_event_biz (biz_key, event_type),
  KEY idx_next_retry (next_retry_time),
  KEY idx_update_time (update_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`;

/** The insert of the pattern's own code, with the columns that it names; values: event type, biz key, context. */
export const ARTICLE_INSERT = `INSERT INTO t_retry_task
  (event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)
  VALUES (?, ?, ?, 0, 0, 5, 'EXPONENTIAL', 10, NOW())`;
