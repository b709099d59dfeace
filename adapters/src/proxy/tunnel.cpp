// The bytes both ways, and what the first ones say.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include "adapters/proxy/proxy.hpp"
#include "client.hpp"
#include "domain/client_hello.hpp"
#include "domain/host.hpp"
#include "domain/http_body.hpp"
#include "domain/http_request.hpp"
#include "domain/opening.hpp"

namespace pmg::adapters {
namespace {

using boost::system::error_code;
using domain::Opening;

Refusal refusal_of(domain::NameErrc error) noexcept {
  switch (error) {
    case domain::NameErrc::no_name:
      return Refusal::no_name;
    case domain::NameErrc::other_name:
      return Refusal::other_name;
    case domain::NameErrc::encrypted:
      return Refusal::encrypted_name;
  }
  return Refusal::unreadable;
}

Refusal refusal_of(domain::HttpErrc error) noexcept {
  switch (error) {
    case domain::HttpErrc::no_host:
      return Refusal::no_name;
    case domain::HttpErrc::host_mismatch:
      return Refusal::other_name;
    case domain::HttpErrc::too_long:
    case domain::HttpErrc::bad_request_line:
    case domain::HttpErrc::bad_version:
    case domain::HttpErrc::bad_target:
    case domain::HttpErrc::bad_header:
    case domain::HttpErrc::bad_host:
    case domain::HttpErrc::bad_length:
      return Refusal::unreadable;
  }
  return Refusal::unreadable;
}

/// A fatal alert, access_denied (RFC 8446 section 6.2).
std::string alert() { return {"\x15\x03\x03\x00\x02\x02\x31", 7}; }

}  // namespace

/// Servers of some protocols speak first, so their bytes flow at once.
void Client::on_tunnel() {
  is_tunnel_ = true;
  deadline_.cancel();
  pump_down();
  if (in_.empty()) {
    read_then(&Client::judge_opening);
  } else {
    judge_opening();
  }
}

void Client::judge_opening() {
  switch (domain::classify_opening(in_)) {
    case Opening::undecided:
      read_then(&Client::judge_opening);
      return;
    case Opening::tls:
      judge_tls();
      return;
    case Opening::old_tls:
      refuse_within(Refusal::no_name, alert());
      return;
    case Opening::http:
      judge_request();
      return;
    case Opening::other:
      shared_.settings.observe(*connection_);
      pump_up();
      return;
  }
}

/// PX3
void Client::judge_tls() {
  const auto hello =
      domain::parse_client_hello({reinterpret_cast<const std::uint8_t*>(in_.data()), in_.size()});
  if (!hello) {
    refuse_within(Refusal::unreadable, alert());
    return;
  }
  if (!hello->has_value()) {
    read_then(&Client::judge_tls);
    return;
  }
  if (const auto error = domain::check_name(connection_->to.host, **hello)) {
    refuse_within(refusal_of(*error), alert());
    return;
  }
  shared_.settings.observe(*connection_);
  pump_up();
}

/// PX3, for every request of the connection.
void Client::judge_request() {
  auto head = domain::parse_request_head(in_);
  if (head && !head->has_value()) {
    read_then(&Client::judge_request);
    return;
  }
  if (head && form_ == Form::forward) {
    if (const auto to = domain::asked_for(**head); to && !(*to == connection_->to)) {
      switch_to(*to);
      return;
    }
  }
  const auto error = head ? error_of(**head) : std::optional(head.error());
  if (error) {
    connection_->refusal = refusal_of(*error);
    const std::string text = refusal_text(*shared_.settings.policy, *connection_);
    refuse_within(*connection_->refusal,
                  "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: " +
                      std::to_string(text.size()) + "\r\n\r\n" + text);
    return;
  }
  send_request(std::move(**head));
}

/// To a proxy the target says it; within a tunnel Host must.
std::optional<domain::HttpErrc> Client::error_of(const domain::RequestHead& head) const {
  if (form_ != Form::forward) {
    return domain::check_host(head, connection_->to);
  }
  const auto to = domain::asked_for(head);
  if (!to) {
    return to.error();
  }
  return head.form == domain::TargetForm::absolute ? std::nullopt
                                                   : std::optional(domain::HttpErrc::bad_target);
}

void Client::send_request(domain::RequestHead head) {
  if (!body_) {
    shared_.settings.observe(*connection_);
  }
  // Whose answer says 101 is certain only for the first request.
  const bool may_upgrade = !body_ && std::holds_alternative<domain::NoBody>(head.body);
  if (!may_upgrade) {
    head.upgrade = domain::Upgrade::none;
  }
  if (head.upgrade == domain::Upgrade::asked) {
    status_.emplace();
    start_deadline(kPatience);  // the client is not read meanwhile
  }
  body_.emplace(head.body);
  out_ = domain::to_origin_form(head, connection_->to);
  in_.erase(0, head.size);
  boost::asio::async_write(upstream_, boost::asio::buffer(out_),
                           [self = shared_from_this()](const error_code& failed, std::size_t) {
                             if (failed) {
                               self->close();
                             } else if (self->status_) {
                               self->status_->is_request_sent = true;
                               self->on_status();
                             } else {
                               self->send_body();
                             }
                           });
}

/// The answer to an upgrade begins. What the client says next depends on it.
void Client::on_status() {
  constexpr std::string_view kSwitching = "HTTP/1.1 101";
  if (!status_->is_request_sent || status_->text.size() < kSwitching.size()) {
    return;
  }
  const bool is_switching = status_->text.starts_with(kSwitching);
  status_.reset();
  deadline_.cancel();
  if (is_switching) {
    pump_up();
  } else {
    send_body();
  }
}

/// A server that hears that no more comes answers what is left and closes. Then the client's next
/// request, which is still in `in_`, is decided like the first one.
void Client::switch_to(domain::Destination to) {
  next_ = std::move(to);
  start_deadline(kDrain);
  error_code ignored;
  upstream_.shutdown(Tcp::socket::shutdown_send, ignored);
  if (is_half_closed_) {
    close();
  }
}

void Client::on_switched() {
  error_code ignored;
  upstream_.close(ignored);
  is_tunnel_ = false;
  has_answered_ = false;
  body_.reset();
  start_deadline(kPatience);
  decide(*std::exchange(next_, std::nullopt));
}

void Client::send_body() {
  const auto taken = body_->take(in_);
  if (!taken) {
    refuse_within(Refusal::unreadable, "");
    return;
  }
  if (*taken == 0) {
    if (!body_->is_done()) {
      read_then(&Client::send_body);
    } else if (in_.empty()) {
      read_then(&Client::judge_request);
    } else {
      judge_request();
    }
    return;
  }
  out_ = in_.substr(0, *taken);
  in_.erase(0, *taken);
  boost::asio::async_write(upstream_, boost::asio::buffer(out_),
                           [self = shared_from_this()](const error_code& failed, std::size_t) {
                             failed ? self->close() : self->send_body();
                           });
}

/// What the server said cannot be taken back; the last words are for a client that heard nothing.
void Client::refuse_within(Refusal why, std::string last_words) {
  connection_->refusal = why;
  shared_.settings.observe(*connection_);
  if (has_answered_) {
    close();
    return;
  }
  error_code ignored;
  upstream_.close(ignored);
  say_then(std::move(last_words), &Client::linger);
}

void Client::pump_up() {
  if (in_.empty()) {
    client_.async_read_some(
        boost::asio::buffer(up_),
        [self = shared_from_this()](const error_code& error, std::size_t count) {
          if (error) {
            self->end_of(self->upstream_);
            return;
          }
          boost::asio::async_write(self->upstream_, boost::asio::buffer(self->up_, count),
                                   [self](const error_code& failed, std::size_t) {
                                     failed ? self->close() : self->pump_up();
                                   });
        });
    return;
  }
  out_ = std::exchange(in_, {});
  boost::asio::async_write(upstream_, boost::asio::buffer(out_),
                           [self = shared_from_this()](const error_code& failed, std::size_t) {
                             failed ? self->close() : self->pump_up();
                           });
}

void Client::pump_down() {
  upstream_.async_read_some(
      boost::asio::buffer(down_),
      [self = shared_from_this()](const error_code& error, std::size_t count) {
        if (error == boost::asio::error::operation_aborted) {
          return;  // refused, and its last words are on their way
        }
        if (error && self->next_) {
          self->on_switched();
          return;
        }
        if (error && self->status_) {
          self->close();
          return;
        }
        if (error) {
          self->end_of(self->client_);
          return;
        }
        self->has_answered_ = true;
        if (self->status_) {
          self->status_->text.append(self->down_.data(), count);
          self->on_status();
        }
        boost::asio::async_write(self->client_, boost::asio::buffer(self->down_, count),
                                 [self](const error_code& failed, std::size_t) {
                                   failed ? self->close() : self->pump_down();
                                 });
      });
}

/// One side has said all: the other one is told, and may still answer.
void Client::end_of(Tcp::socket& to) {
  if (std::exchange(is_half_closed_, true)) {
    close();
    return;
  }
  error_code ignored;
  to.shutdown(Tcp::socket::shutdown_send, ignored);
}

}  // namespace pmg::adapters
