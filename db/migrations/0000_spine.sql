CREATE TABLE `t_retry_attempt` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`task_id` bigint NOT NULL,
	`event_type` varchar(64) NOT NULL,
	`kind` varchar(16) NOT NULL,
	`retry_count` int NOT NULL,
	`claim_no` int NOT NULL,
	`owner` varchar(64),
	`actor` varchar(64),
	`detail` varchar(512),
	`error` text,
	`error_fingerprint` varchar(16),
	`duration_ms` bigint,
	`next_retry_time` datetime(3),
	`create_time` datetime(3) NOT NULL,
	PRIMARY KEY(`id`),
	KEY `idx_task` (`task_id`,`id`),
	KEY `idx_kind_time` (`kind`,`create_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_event_type` (
	`event_type` varchar(64) NOT NULL,
	`code_settings` mediumtext,
	`override_settings` mediumtext,
	`paused` tinyint NOT NULL DEFAULT 0,
	`paused_reason` varchar(255),
	`revision` int NOT NULL DEFAULT 0,
	`create_time` datetime(3) NOT NULL,
	`update_time` datetime(3) NOT NULL,
	PRIMARY KEY(`event_type`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_lease` (
	`name` varchar(64) NOT NULL,
	`owner` varchar(64),
	`lease_no` int NOT NULL DEFAULT 0,
	`expire_time` datetime(3) NOT NULL,
	PRIMARY KEY(`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_metric` (
	`minute` datetime(3) NOT NULL,
	`event_type` varchar(64) NOT NULL,
	`source` varchar(64) NOT NULL,
	`pending` int,
	`running` int,
	`failed` int,
	`oldest_due_age_ms` bigint,
	`enqueued_count` int NOT NULL DEFAULT 0,
	`eager_count` int NOT NULL DEFAULT 0,
	`succeeded_count` int NOT NULL DEFAULT 0,
	`skipped_count` int NOT NULL DEFAULT 0,
	`retried_count` int NOT NULL DEFAULT 0,
	`failed_count` int NOT NULL DEFAULT 0,
	`released_count` int NOT NULL DEFAULT 0,
	`rejected_count` int NOT NULL DEFAULT 0,
	`recycled_count` int NOT NULL DEFAULT 0,
	`stale_count` int NOT NULL DEFAULT 0,
	`latency_histogram` text,
	PRIMARY KEY(`minute`,`event_type`,`source`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_task` (
	`id` bigint AUTO_INCREMENT NOT NULL,
	`event_type` varchar(64) NOT NULL,
	`biz_key` varchar(128) NOT NULL,
	`biz_context` mediumtext NOT NULL,
	`status` tinyint NOT NULL DEFAULT 0,
	`retry_count` int NOT NULL DEFAULT 0,
	`max_retry_count` int NOT NULL,
	`retry_strategy` varchar(32) NOT NULL,
	`first_retry_interval` int NOT NULL,
	`next_retry_time` datetime(3) NOT NULL,
	`ip` varchar(40),
	`create_time` datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
	`update_time` datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
	`owner` varchar(64),
	`claim_no` int NOT NULL DEFAULT 0,
	`recycle_count` int NOT NULL DEFAULT 0,
	`last_error` text,
	`error_fingerprint` varchar(16),
	`finish_reason` varchar(16),
	`started_time` datetime(3),
	`finished_time` datetime(3),
	`trace_parent` varchar(64),
	`parent_id` bigint,
	`origin` varchar(64),
	PRIMARY KEY(`id`),
	UNIQUE KEY `uk_event_biz` (`biz_key`,`event_type`),
	KEY `idx_claim` (`event_type`,`status`,`next_retry_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
--> statement-breakpoint
CREATE TABLE `t_retry_worker` (
	`owner` varchar(64) NOT NULL,
	`host` varchar(255) NOT NULL,
	`ip` varchar(40),
	`pid` int NOT NULL,
	`version` varchar(32) NOT NULL,
	`state` varchar(16) NOT NULL,
	`dead_after_ms` int NOT NULL,
	`event_types` mediumtext NOT NULL,
	`pools` mediumtext NOT NULL,
	`started_time` datetime(3) NOT NULL,
	`beat_time` datetime(3) NOT NULL,
	`stopped_time` datetime(3),
	PRIMARY KEY(`owner`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
