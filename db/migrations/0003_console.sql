CREATE TABLE `t_retry_account` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`name` varchar(64) NOT NULL,
	`role` varchar(16) NOT NULL,
	`scopes` text,
	`password_hash` varchar(255),
	`subject` varchar(255),
	`disabled` tinyint NOT NULL DEFAULT 0,
	`create_time` datetime(3) NOT NULL,
	`update_time` datetime(3) NOT NULL,
	PRIMARY KEY(`id`),
	UNIQUE KEY `uk_name` (`name`),
	UNIQUE KEY `uk_subject` (`subject`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_api_token` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`name` varchar(64) NOT NULL,
	`token_hash` varchar(64) NOT NULL,
	`role` varchar(16) NOT NULL,
	`scopes` text,
	`created_by` varchar(64) NOT NULL,
	`create_time` datetime(3) NOT NULL,
	`expire_time` datetime(3),
	`used_time` datetime(3),
	`revoked_time` datetime(3),
	PRIMARY KEY(`id`),
	UNIQUE KEY `uk_token` (`token_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_audit` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`create_time` datetime(3) NOT NULL,
	`actor` varchar(64) NOT NULL,
	`actor_kind` varchar(16) NOT NULL,
	`role` varchar(16),
	`action` varchar(48) NOT NULL,
	`object_kind` varchar(32) NOT NULL,
	`object_id` varchar(191),
	`event_type` varchar(64),
	`result` varchar(16) NOT NULL,
	`reason` varchar(512),
	`ip` varchar(64),
	`request_id` varchar(64),
	`correlation` varchar(64),
	`detail` mediumtext,
	PRIMARY KEY(`id`),
	KEY `idx_time` (`create_time`,`id`),
	KEY `idx_object` (`object_kind`,`object_id`,`id`),
	KEY `idx_actor` (`actor`,`id`),
	KEY `idx_correlation` (`correlation`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_bulk` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`name` varchar(128) NOT NULL,
	`action` varchar(16) NOT NULL,
	`filter` mediumtext NOT NULL,
	`max_id` bigint NOT NULL,
	`bound_time` datetime(3) NOT NULL,
	`request_key` varchar(64),
	`cursor_text` varchar(255),
	`state` varchar(24) NOT NULL,
	`state_reason` varchar(512),
	`rate_per_second` double,
	`jitter_ms` bigint NOT NULL DEFAULT 0,
	`canary_rows` int NOT NULL DEFAULT 0,
	`canary_share` double,
	`canary_verdict` varchar(16),
	`reason` varchar(512),
	`actor` varchar(64) NOT NULL,
	`approved_by` varchar(64),
	`estimate` bigint NOT NULL DEFAULT 0,
	`done_count` bigint NOT NULL DEFAULT 0,
	`skipped_count` bigint NOT NULL DEFAULT 0,
	`failed_count` bigint NOT NULL DEFAULT 0,
	`owner` varchar(64),
	`beat_time` datetime(3),
	`create_time` datetime(3) NOT NULL,
	`start_time` datetime(3) NOT NULL,
	`finish_time` datetime(3),
	`update_time` datetime(3) NOT NULL,
	PRIMARY KEY(`id`),
	UNIQUE KEY `uk_request` (`request_key`),
	KEY `idx_state` (`state`,`start_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_bulk_item` (
	`bulk_id` bigint NOT NULL,
	`task_id` bigint NOT NULL,
	`result` varchar(16) NOT NULL,
	`detail` varchar(255),
	`previous` varchar(512),
	`claim_no` int NOT NULL,
	`create_time` datetime(3) NOT NULL,
	PRIMARY KEY(`bulk_id`,`task_id`),
	KEY `idx_result` (`bulk_id`,`result`,`task_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_idempotency` (
	`key_hash` varchar(64) NOT NULL,
	`request_hash` varchar(64) NOT NULL,
	`status` int,
	`body` mediumtext,
	`create_time` datetime(3) NOT NULL,
	PRIMARY KEY(`key_hash`),
	KEY `idx_time` (`create_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_saved_view` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`account_id` bigint NOT NULL,
	`page` varchar(32) NOT NULL,
	`name` varchar(64) NOT NULL,
	`query` varchar(2000) NOT NULL,
	`shared` tinyint NOT NULL DEFAULT 0,
	`create_time` datetime(3) NOT NULL,
	PRIMARY KEY(`id`),
	UNIQUE KEY `uk_name` (`account_id`,`page`,`name`),
	KEY `idx_shared` (`shared`,`page`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_session` (
	`token_hash` varchar(64) NOT NULL,
	`account_id` bigint NOT NULL,
	`create_time` datetime(3) NOT NULL,
	`used_time` datetime(3) NOT NULL,
	`expire_time` datetime(3) NOT NULL,
	`confirmed_time` datetime(3),
	`ip` varchar(64),
	`user_agent` varchar(255),
	PRIMARY KEY(`token_hash`),
	KEY `idx_account` (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_sign_in_count` (
	`subject` varchar(96) NOT NULL,
	`failures` int NOT NULL,
	`window_time` datetime(3) NOT NULL,
	`locked_until` datetime(3),
	PRIMARY KEY(`subject`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_sign_in_link` (
	`token_hash` varchar(64) NOT NULL,
	`account_id` bigint,
	`create_time` datetime(3) NOT NULL,
	`expire_time` datetime(3) NOT NULL,
	`used_time` datetime(3),
	PRIMARY KEY(`token_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
ALTER TABLE `t_retry_metric` ADD COLUMN `due` int, ADD COLUMN `archived_count` int DEFAULT 0 NOT NULL;
